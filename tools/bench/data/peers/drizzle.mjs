// express over drizzle on @libsql/client, its statements prepared once, with the compiled checks of the others.
import { createServer } from 'node:http';
import { createClient } from '@libsql/client';
import { asc, eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/libsql';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import express from 'express';
import { listening } from '../../http/listening.ts';
import { announce } from '../../lib/announce.ts';
import { isNewTicket, toCount } from '../tickets.ts';

const [, , file] = process.argv;
// The file is in WAL mode already; the client leaves `synchronous` at FULL.
const db = drizzle(createClient({ url: `file:${file}` }));
const tickets = sqliteTable('tickets', {
  id: integer().primaryKey({ autoIncrement: true }),
  title: text().notNull(),
  note: text(),
  priority: integer().notNull(),
  urgent: integer({ mode: 'boolean' }).notNull(),
});

const selectOne = db
  .select()
  .from(tickets)
  .where(eq(tickets.id, sql.placeholder('id')))
  .prepare();
const selectMany = db
  .select()
  .from(tickets)
  .orderBy(asc(tickets.id))
  .limit(sql.placeholder('limit'))
  .offset(sql.placeholder('offset'))
  .prepare();
const insertOne = db
  .insert(tickets)
  .values({
    title: sql.placeholder('title'),
    note: sql.placeholder('note'),
    priority: sql.placeholder('priority'),
    urgent: sql.placeholder('urgent'),
  })
  .returning()
  .prepare();

const app = express();

app.get('/tickets/:id', async (req, res) => {
  const id = toCount(req.params.id);
  if (id === undefined) return res.status(422).json({ detail: 'invalid' });
  const [found] = await selectOne.all({ id });
  return found ? res.json(found) : res.status(404).json({ detail: 'there is no such row' });
});
app.get('/tickets', async (req, res) => {
  const { limit = '50', offset = '0' } = req.query;
  const count = toCount(limit);
  const from = offset === '0' ? 0 : toCount(offset);
  if (count === undefined || from === undefined) return res.status(422).json({ detail: 'invalid' });
  return res.json(await selectMany.all({ limit: Math.min(count, 200), offset: from }));
});
app.post('/tickets', express.json(), async (req, res) => {
  if (!isNewTicket(req.body)) return res.status(422).json({ detail: 'invalid' });
  const [stored] = await insertOne.all({ note: null, ...req.body });
  return res.status(201).location(`/tickets/${stored.id}`).json(stored);
});

announce(await listening(createServer(app)));
