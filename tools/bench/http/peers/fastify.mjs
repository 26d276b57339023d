// fastify: its own validation (which coerces by itself) and serialisation. JavaScript, since its types are only there once
// it is installed. Full: the log of the product, with the same fields in one line, its request id and its headers.
import fastify, { LogController } from 'fastify';
import pino from 'pino';
import { announce } from '../../lib/announce.ts';
import { books, constant, create, summary, summaryInput, ticketInput } from '../api.ts';
import { dressOf, headersOf } from '../headers.ts';

const full = dressOf(process.argv) === 'full';
const object = (properties) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

const app = fastify(
  full
    ? {
        loggerInstance: pino({ base: null }, pino.destination({ dest: 1, sync: false, minLength: 16_000 })),
        logController: new LogController({ disableRequestLogging: true }),
      }
    : {},
);
if (full) dress();

app.get('/static', async () => constant);
app.get(
  '/tickets/:id/summary',
  {
    schema: {
      params: object({ id: summaryInput.id }),
      querystring: object({ max: summaryInput.max }),
      response: {
        200: object({ id: { type: 'integer' }, summary: { type: 'string' }, words: { type: 'integer' } }),
      },
    },
  },
  async ({ params, query }) => summary({ id: params.id, max: query.max }),
);
app.post('/tickets', { schema: { body: object(ticketInput) } }, async ({ body }, reply) => {
  reply.code(201);
  return create(body);
});
app.get('/books', async () => books());

announce(await app.listen({ host: '127.0.0.1', port: 0 }));

function dress() {
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
