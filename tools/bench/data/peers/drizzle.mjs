// express over drizzle on @libsql/client, as their documentation shows it, with the compiled checks of the others.
import { createServer } from 'node:http';
import { createClient } from '@libsql/client';
import { asc, eq } from 'drizzle-orm';
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

const app = express();

app.get('/tickets/:id', async (req, res) => {
  const id = toCount(req.params.id);
  if (id === undefined) return res.status(422).json({ detail: 'invalid' });
  const [found] = await db.select().from(tickets).where(eq(tickets.id, id));
  return found ? res.json(found) : res.status(404).json({ detail: 'there is no such row' });
});
app.get('/tickets', async (req, res) => {
  const { limit = '50', offset = '0' } = req.query;
  const count = toCount(limit);
  const from = offset === '0' ? 0 : toCount(offset);
  if (count === undefined || from === undefined) return res.status(422).json({ detail: 'invalid' });
  return res.json(
    await db.select().from(tickets).orderBy(asc(tickets.id)).limit(Math.min(count, 200)).offset(from),
  );
});
app.post('/tickets', express.json(), async (req, res) => {
  if (!isNewTicket(req.body)) return res.status(422).json({ detail: 'invalid' });
  const [stored] = await db.insert(tickets).values(req.body).returning();
  return res.status(201).location(`/tickets/${stored.id}`).json(stored);
});

announce(await listening(createServer(app)));
