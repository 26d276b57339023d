import { createRequire } from 'node:module';
import { toClient } from '@waymark/client-gen';
import { HTTPError, Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import { drizzle } from '@waymark/server/drizzle';
import { and, eq, gte, relations, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { withCompiledClient } from './compiled-client.ts';
import { post } from './mcp/messages.ts';
import { servedSql } from './sql-served.ts';

const items = sqliteTable('items', {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull().unique(),
  stock: integer().notNull().default(0),
  size: text({ enum: ['small', 'large'] }),
  hidden: integer({ mode: 'boolean' }).notNull().default(false),
  madeAt: integer('made_at', { mode: 'timestamp' })
    .notNull()
    .$defaultFn(() => new Date('2026-01-02T03:04:05Z')),
  code: text().notNull().default('none'),
  note: text(),
  secret: text().default('for the shop alone'),
});
const sales = sqliteTable('sales', {
  id: integer().primaryKey(),
  itemId: integer('item_id')
    .notNull()
    .references(() => items.id),
  count: integer().notNull(),
});
const schema = {
  ...{ items, sales },
  itemSales: relations(items, ({ many }) => ({ sales: many(sales) })),
  saleItem: relations(sales, ({ one }) => ({
    item: one(items, { fields: [sales.itemId], references: [items.id] }),
  })),
};

function shop(app: Application): void {
  app.resource(items, {
    ...{ tools: true, omit: ['secret'] },
    fields: {
      ...{ name: z.string().min(2), stock: Type.Integer({ minimum: 0 }) },
      ...{ code: z.string().length(4).toLowerCase(), note: z.string().max(5) },
    },
  });
  app.resource(sales);
  const db = drizzle(app.database, { schema });
  app.post('/sell/{id}', { input: { id: Type.Integer(), count: Type.Integer() } }, ({ id, count }) =>
    db.transaction(async (tx) => {
      const item = await tx.query.items.findFirst({ where: eq(items.id, id) });
      if (!item || item.stock < count) throw new HTTPError(409, 'there are not so many');
      await tx
        .update(items)
        .set({ stock: item.stock - count })
        .where(eq(items.id, id));
      await tx.insert(sales).values({ itemId: id, count });
      return { left: item.stock - count };
    }),
  );
  app.get('/sold', () =>
    db.query.items.findMany({ columns: { name: true, madeAt: true }, with: { sales: true } }),
  );
  app.post('/clash', () => db.insert(items).values({ name: 'lamp', secret: 'never-to-be-read' }));
}

/** A program that compiles only if arguments and results have the types of the table. */
const program = `import { createClient, ProblemError } from './client.ts';

export async function use(baseUrl: string): Promise<unknown> {
  const shop = createClient({ baseUrl });
  const created = await shop.createItems({ name: 'by client' });
  const id: number = created.id;
  const size: 'small' | 'large' | null = created.size;
  const hidden: boolean = created.hidden;
  const madeAt: string = created.madeAt;
  // @ts-expect-error omitted
  created.secret;
  const changed = await shop.updateItems({ id, size: 'large', hidden: true });
  const [listed] = await shop.listItems({ hidden: true, madeAt });
  // @ts-expect-error a size that is none
  const refused = await shop.createItems({ name: 'xx', size: 'huge' }).catch((error: unknown) => error);
  // @ts-expect-error a name is needed
  await shop.createItems({ stock: 1 }).catch(() => undefined);
  return { size, hidden, changed, listed, refused: refused instanceof ProblemError ? refused.status : refused };
}
`;

const made = {
  ...{ stock: 0, size: null, hidden: false, madeAt: '2026-01-02T03:04:05.000Z' },
  ...{ code: 'none', note: null },
};

describe('a drizzle table declared as a resource', () => {
  it('is REST, OpenAPI, tools and typed methods with the types of its columns', async () => {
    verifies('resource.drizzle', 'resource.drizzle.fields', 'purpose.route.all-four');
    const { app, running, send, call } = await servedSql(shop);
    const created = await send('POST', '/items', { body: { name: 'lamp', stock: 3 } });
    expect(created).toMatchObject({ status: 201, value: { id: 1, name: 'lamp', ...made, stock: 3 } });
    expect(created.value).not.toHaveProperty('secret');
    expect((await send('POST', '/items', { body: { name: 'a' } })).status).toBe(422);
    expect((await send('PATCH', '/items/1', { body: { stock: -1 } })).status).toBe(422);
    expect((await send('PATCH', '/items/1', { body: { note: 'too long' } })).status).toBe(422);
    const changed = await send('PATCH', '/items/1', { body: { code: 'ABCD', note: 'short' } });
    expect(changed.value).toMatchObject({ code: 'abcd', note: 'short' });
    expect((await send('PATCH', '/items/1', { body: { note: null } })).value).toMatchObject({ note: null });
    expect((await send('PATCH', '/items/1', { body: { code: null } })).status).toBe(422);
    expect((await send('GET', '/items?note=short')).value).toEqual([]);
    expect((await send('POST', '/items', { body: { name: 'lamp' } })).status).toBe(409);

    const { paths } = (await send('GET', '/_svc/openapi.json')).value as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
    };
    const described = JSON.stringify(paths['/items']?.['post']);
    expect(described).toContain('"enum":["small","large"]');
    expect(described).toContain('"format":"date-time"');
    expect(described).not.toContain('secret');

    const listed = (await post(running, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).json as {
      readonly result: { readonly tools: readonly { readonly name: string; readonly inputSchema: object }[] };
    };
    const tool = listed.result.tools.find(({ name }) => name === 'create_items');
    expect(tool?.inputSchema).toMatchObject({
      required: ['name'],
      properties: {
        name: { type: 'string', minLength: 2 },
        stock: { type: 'integer', minimum: 0, default: 0 },
        size: { anyOf: [{ enum: ['small', 'large'] }, { type: 'null' }] },
        hidden: { type: 'boolean', default: false },
        madeAt: { type: 'string', format: 'date-time' },
      },
    });
    const { content } = await call('create_items', { name: 'by tool', hidden: true });
    expect(JSON.parse(content[0]?.text ?? '')).toEqual({ id: 2, name: 'by tool', ...made, hidden: true });
    await call('delete_items', { id: 2 });

    const source = toClient(app.table, { title: 'shop' });
    const used = await withCompiledClient(
      source,
      program,
      ({ use }: { use(url: string): Promise<unknown> }) => use(running.url),
    );
    const third = { id: 3, name: 'by client', ...made, size: 'large', hidden: true };
    expect(used).toEqual({ size: null, hidden: false, changed: third, listed: third, refused: 422 });
  });

  it('is asked in handlers by the same table, and its transactions do not interleave', async () => {
    verifies('sql.drizzle.queries', 'sql.drizzle.transaction', 'sql.drizzle.errors');
    const { send } = await servedSql(shop);
    await send('POST', '/items', { body: { name: 'lamp', stock: 7 } });
    const sold = await Promise.all(
      Array.from({ length: 12 }, () => send('POST', '/sell/1', { body: { count: 1 } })),
    );
    expect(sold.map(({ status }) => status).toSorted()).toEqual([
      ...Array(7).fill(200),
      ...Array(5).fill(409),
    ]);
    expect((await send('GET', '/items/1')).value).toMatchObject({ stock: 0 });
    const [lamp] = (await send('GET', '/sold')).value as readonly Record<string, unknown>[];
    // A handler answers a time as the resource does.
    expect(lamp).toMatchObject({ name: 'lamp', madeAt: made.madeAt });
    expect(lamp?.['sales']).toHaveLength(7);
    const clash = await send('POST', '/clash');
    expect(clash).toMatchObject({ status: 409 });
    expect(clash.text).not.toMatch(/never-to-be-read|insert|items/i);
  });

  it('may be of another copy of drizzle-orm than the one that asks', async () => {
    verifies('resource.drizzle.copies');
    const require = createRequire(import.meta.url);
    const other = require('drizzle-orm') as typeof import('drizzle-orm');
    const core = require('drizzle-orm/sqlite-core') as typeof import('drizzle-orm/sqlite-core');
    expect(core.sqliteTable).not.toBe(sqliteTable);
    const things = core.sqliteTable('things', {
      id: core.integer().primaryKey(),
      name: core.text().notNull(),
      at: core.integer({ mode: 'timestamp' }).notNull().default(other.sql`(unixepoch('2026-01-02'))`),
    });
    const { send } = await servedSql((app) => {
      app.resource(things);
      const db = drizzle(app.database, { schema: { things } });
      app.get('/named/{name}', ({ name }) =>
        db
          .select()
          .from(things)
          .where(and(other.eq(things.name, name), gte(things.id, 1), sql`true`)),
      );
      app.get('/first', () => db.query.things.findFirst({ where: other.eq(things.name, 'b') }));
    });
    await send('POST', '/things', { body: { name: 'a' } });
    await send('POST', '/things', { body: { name: 'b' } });
    const row = { id: 2, name: 'b', at: '2026-01-02T00:00:00.000Z' };
    expect((await send('GET', '/things/2')).value).toEqual(row);
    expect((await send('GET', '/named/b')).value).toEqual([row]);
    expect((await send('GET', '/first')).value).toEqual(row);
  });
});
