// hono on node:http, with the compiled checks of the others.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { announce } from '../../lib/announce.ts';
import { books, constant, create, isSummaryInput, isTicket, summary, toInteger } from '../api.ts';

const app = new Hono();

app.get('/static', (c) => c.json(constant));
app.get('/tickets/:id/summary', (c) => {
  const input = { id: toInteger(c.req.param('id')), max: toInteger(c.req.query('max')) };
  return isSummaryInput(input) ? c.json(summary(input)) : c.json({ detail: 'invalid' }, 422);
});
app.post('/tickets', async (c) => {
  const ticket = await c.req.json();
  return isTicket(ticket) ? c.json(create(ticket), 201) : c.json({ detail: 'invalid' }, 422);
});
app.get('/books', (c) => c.json(books()));

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  announce(`http://127.0.0.1:${port}`),
);
