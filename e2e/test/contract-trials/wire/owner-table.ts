/** The table that worker and owner both hold: each builds it from the same declarations, so a name says it all. */

import type { EngineRouteOptions } from '@waymark/contract';
import { createRouteTable, HTTPError, media, Reply, type RouteTable, toRoute } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';

const owner = { placement: 'owner' } as const satisfies EngineRouteOptions;

export function createOwnerTable(): RouteTable {
  const route = (path: string, options: EngineRouteOptions, answer: (context: EngineContext) => unknown) =>
    toRoute('POST', path, { kind: 'handler', answer }, { ...owner, toolName: path.slice(1), ...options });
  return createRouteTable([
    route(
      '/echo',
      { input: { text: { type: 'string' } }, scopes: ['echo'] },
      ({ input, principal, request }) => ({
        text: input['text'],
        id: request.id,
        by: principal.id,
        language: request.headers['accept-language'],
      }),
    ),
    route('/broken', {}, () => {
      throw new HTTPError(409, 'taken', { code: 'conflict', headers: { 'retry-after': '3' } });
    }),
    route('/picture', { output: { 200: media('image/png') } }, () => new Uint8Array([137, 80, 78, 71])),
    route('/long', {}, () => new Reply(ReadableStream.from(lines(3)), 200, {}, 'text/plain')),
    route(
      '/size',
      { body: 'source', maxBodyBytes: 8 },
      async ({ body, route: { maxBodyBytes }, signal }) => ({
        bytes: (await body.read(maxBodyBytes, signal)).length,
      }),
    ),
    route('/gather', { progress: true }, (context) => {
      for (const id of [1, 2, 3]) context.observe({ event: 'step', data: { at: id }, id: `${id}` });
      return 'gathered';
    }),
    route('/costly', { progress: true }, async (context) => {
      await context.charge(1);
      context.observe({ event: 'worked', data: null });
      return 'worth it';
    }),
    route('/slow', { progress: true }, (context) => {
      context.observe({ event: 'started', data: null });
      return whenAborted(context.signal);
    }),
    toRoute('GET', '/pid', { kind: 'handler', answer: () => process.pid }, { toolName: 'pid' }),
    toRoute(
      'GET',
      '/owner-pid',
      { kind: 'handler', answer: () => process.pid },
      { ...owner, toolName: 'owner_pid' },
    ),
  ]).freeze();
}

function* lines(count: number): Generator<Uint8Array> {
  for (let i = 1; i <= count; i++) yield new TextEncoder().encode(`line ${i}\n`);
}

/** Waits for ever, unless it is stopped; then says by what. */
function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = (): void => {
      const reason: unknown = signal.reason;
      reject(reason instanceof HTTPError ? reason : new HTTPError(499, `stopped: ${String(reason)}`));
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
