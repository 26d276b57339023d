// fastify over better-sqlite3: its own validation and serialisation, statements that are prepared once, and a commit that
// waits for the disk. Full: the log of the product with the same fields in one line, its request id and its headers.
import Database from 'better-sqlite3';
import fastify, { LogController } from 'fastify';
import pino from 'pino';
import { headersOf } from '../../http/headers.ts';
import { announce } from '../../lib/announce.ts';
import { ticketFields } from '../tickets.ts';

const [, , file, dress] = process.argv;
const full = dress === 'full';
const database = new Database(file);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
const columns = 'id, title, note, priority, urgent';
const selectOne = database.prepare(`select ${columns} from tickets where id = ?`);
const selectMany = database.prepare(`select ${columns} from tickets order by id limit ? offset ?`);
const insertOne = database.prepare(
  `insert into tickets (title, note, priority, urgent) values (?, ?, ?, ?) returning ${columns}`,
);

const object = (properties, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const count = { type: 'integer', minimum: 1 };
const row = object({
  id: { type: 'integer' },
  title: { type: 'string' },
  note: { type: ['string', 'null'] },
  priority: { type: 'integer' },
  urgent: { type: 'boolean' },
});

const app = fastify(
  full
    ? {
        loggerInstance: pino({ base: null }, pino.destination({ dest: 1, sync: false, minLength: 16_000 })),
        logController: new LogController({ disableRequestLogging: true }),
      }
    : {},
);
if (full) dressAll();

app.get(
  '/tickets/:id',
  { schema: { params: object({ id: count }), response: { 200: row } } },
  async ({ params }, reply) => {
    const found = selectOne.get(params.id);
    if (found) return found;
    reply.code(404);
    return { detail: 'there is no such row' };
  },
);
app.get(
  '/tickets',
  {
    schema: {
      querystring: object(
        { limit: { ...count, default: 50 }, offset: { type: 'integer', minimum: 0, default: 0 } },
        [],
      ),
      response: { 200: { type: 'array', items: row } },
    },
  },
  async ({ query }) => selectMany.all(Math.min(query.limit, 200), query.offset),
);
app.post(
  '/tickets',
  { schema: { body: object(ticketFields), response: { 201: row } } },
  async ({ body }, reply) => {
    const stored = insertOne.get(body.title, body.note, body.priority, body.urgent ? 1 : 0);
    reply.code(201).header('location', `/tickets/${stored.id}`);
    return stored;
  },
);

announce(await app.listen({ host: '127.0.0.1', port: 0 }));

function dressAll() {
  const headers = headersOf('full');
  app.addHook('onRequest', (_request, reply, next) => {
    const flat = headers();
    for (let i = 0; i < flat.length; i += 2) reply.header(flat[i], flat[i + 1]);
    next();
  });
  app.addHook('onResponse', (request, reply, next) => {
    app.log.info(
      {
        request_id: reply.getHeader('x-request-id'),
        method: request.method,
        path: request.url,
        route: request.routeOptions.url,
        status: reply.statusCode,
        bytes: Number(reply.getHeader('content-length')),
        duration_ms: Math.round(reply.elapsedTime * 1000) / 1000,
      },
      'request',
    );
    next();
  });
}
