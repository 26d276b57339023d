// fastify with the plugins of its own house. JavaScript, since its types are only there once it is installed. With the log
// of the product, the same fields in one line, its request id and its headers.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import httpProxy from '@fastify/http-proxy';
import staticPlugin from '@fastify/static';
import view from '@fastify/view';
import fastify, { LogController } from 'fastify';
import handlebars from 'handlebars';
import pino from 'pino';
import { headersOf } from '../../http/headers.ts';
import { announce } from '../../lib/announce.ts';
import { assets, board, templates } from '../site.ts';

const [, , upstreamUrl] = process.argv;
const app = fastify({
  loggerInstance: pino({ base: null }, pino.destination({ dest: 1, sync: false, minLength: 16_000 })),
  logController: new LogController({ disableRequestLogging: true }),
});
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

handlebars.registerPartial('row', readFileSync(join(templates, 'partials/row.hbs'), 'utf8'));
await app.register(view, { engine: { handlebars }, root: templates, production: true });
app.get('/board', (_request, reply) => reply.view('board.hbs', board()));
await app.register(staticPlugin, { root: assets, prefix: '/assets/', maxAge: '1h' });
await app.register(httpProxy, { upstream: upstreamUrl, prefix: '/desk/', rewritePrefix: '/v1/' });

announce(await app.listen({ host: '127.0.0.1', port: 0 }));
