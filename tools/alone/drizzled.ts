// A server over a table of its author's own drizzle-orm, which is another copy and an older version than the one in the server.
import assert from 'node:assert/strict';
import { createApplication, HTTPError } from '@waymark/server';
import { drizzle } from '@waymark/server/drizzle';
import { eq, gte, relations, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

const items = sqliteTable('items', {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text('the_name').notNull().unique(),
  stock: integer().notNull().default(0),
  at: integer({ mode: 'timestamp' }).notNull().default(sql`(unixepoch('2026-01-02'))`),
});
const parts = sqliteTable('parts', {
  id: integer().primaryKey(),
  item: integer().references(() => items.id),
});
const schema = {
  ...{ items, parts },
  itemParts: relations(items, ({ many }) => ({ parts: many(parts) })),
  partItem: relations(parts, ({ one }) => ({
    of: one(items, { fields: [parts.item], references: [items.id] }),
  })),
};

const app = createApplication('drizzled', { port: 0, database: ':memory:', env: { LOG_LEVEL: 'silent' } });
app.resource(items, { fields: { stock: { minimum: 0 } } });
app.resource(parts);
const db = drizzle(app.database, { schema });
app.get('/many', () => db.query.items.findMany({ where: gte(items.stock, 2), with: { parts: true } }));
app.post('/sell', () =>
  db.transaction(async (tx) => {
    const [item] = await tx.select().from(items).where(eq(items.name, 'lamp'));
    if (!item || item.stock === 0) throw new HTTPError(409, 'there is none');
    const left: number = item.stock - 1;
    await tx.transaction((nested) => nested.update(items).set({ stock: left }).where(eq(items.id, item.id)));
    return { left };
  }),
);
app.post('/clash', () => db.insert(items).values({ name: 'lamp' }));
const running = await app.listen();

async function send(method: string, path: string, body?: object): Promise<[number, unknown]> {
  const response = await fetch(running.url + path, {
    method,
    headers: body ? { 'content-type': 'application/json' } : {},
    ...(body && { body: JSON.stringify(body) }),
  });
  return [response.status, await response.json()];
}
const lamp = { id: 1, name: 'lamp', stock: 3, at: '2026-01-02T00:00:00.000Z' };
assert.deepEqual(await send('POST', '/items', { name: 'lamp', stock: 3 }), [201, lamp]);
assert.equal((await send('PATCH', '/items/1', { stock: -1 }))[0], 422);
assert.deepEqual(await send('GET', '/many'), [200, [{ ...lamp, parts: [] }]]);
const sold = await Promise.all(Array.from({ length: 5 }, () => send('POST', '/sell')));
assert.equal(sold.filter(([status]) => status === 200).length, 3);
const [status, said] = await send('POST', '/clash');
assert.equal(status, 409);
assert.doesNotMatch(JSON.stringify(said), /lamp|insert/);
assert.deepEqual(await send('GET', '/items'), [200, [{ ...lamp, stock: 0 }]]);
await running.close();
