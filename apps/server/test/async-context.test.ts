import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication, Type } from '../src/index.ts';

const context = new AsyncLocalStorage<string>();
const seen = () => context.getStore() ?? null;

/** One connection for all: a context must not be that of the request before. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let server: Awaited<ReturnType<ReturnType<typeof createApplication>['listen']>>;

beforeAll(async () => {
  const app = createApplication('contexts', { port: 0, env: { LOG_LEVEL: 'silent' } });
  app.use((req, _res, next) => context.run(String(req.headers['x-name']), next));
  app.get('/now', seen);
  app.post('/now', { input: { a: Type.Optional(Type.Integer()) } }, seen);
  app.post('/later', { input: { a: Type.Optional(Type.Integer()) } }, async () => {
    await Promise.resolve();
    return seen();
  });
  server = await app.listen();
});
afterAll(async () => {
  agent.destroy();
  await server.close();
});

/** Sends a body in pieces, each when the one before it has left. */
async function contextOf(
  method: string,
  path: string,
  name: string,
  pieces: readonly string[] = [],
): Promise<unknown> {
  const headers = { 'x-name': name, ...(pieces.length > 0 && { 'content-type': 'application/json' }) };
  const req = request(new URL(path, server.url), { agent, method, headers });
  const answered = once(req, 'response');
  for (const piece of pieces) await new Promise((resolve) => req.write(piece, resolve));
  req.end();
  const [res] = (await answered) as [IncomingMessage];
  return JSON.parse(await text(res)) as unknown;
}

describe('the async context of middleware in front', () => {
  it.each(['/now', '/later'])('is that of its handler, however the body comes: %s', async (path) => {
    verifies('http.context.body');
    for (const [name, pieces] of [
      ['ann', ['{}']],
      ['bob', ['{"a":', '1', '}']],
      ['cyd', ['{}']],
    ] as const)
      expect(await contextOf('POST', path, name, pieces)).toBe(name);
  });

  it('is that of a handler that waits for no body', async () => {
    for (const name of ['ann', 'bob']) expect(await contextOf('GET', '/now', name)).toBe(name);
  });
});
