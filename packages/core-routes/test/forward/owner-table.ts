/** The table that worker and owner both make of the same declarations, so that a name says it all. */

import type { EngineRouteOptions } from '@waymark/contract';
import { createRouteTable, HTTPError, media, Reply, type RouteTable, toRoute } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';

const owner = { placement: 'owner' } as const satisfies EngineRouteOptions;

export function createOwnerTable(side: string): RouteTable {
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
    route('/relay', { body: 'source' }, ({ body }) => new Reply(body.stream(), 200, {}, 'text/plain')),
    route('/steps', { progress: true }, async (context) => {
      for (let id = 1; id <= 100; id++) {
        context.observe({ event: 'step', data: null, id: `${id}` });
        await context.room();
      }
      return 'done';
    }),
    toRoute('GET', '/any', { kind: 'handler', answer: () => side }, { toolName: 'any' }),
    toRoute(
      'GET',
      '/owned',
      { kind: 'handler', answer: ({ deadlineMs }) => [side, deadlineMs < performance.now() + 1_000] },
      { ...owner, toolName: 'owned' },
    ),
    // Answers when it is asked for the second time.
    toRoute(
      'GET',
      '/late',
      { kind: 'handler', answer: () => (side === 'owner' ? new Promise(() => {}) : side) },
      { ...owner, toolName: 'late' },
    ),
    toRoute(
      'GET',
      '/socket',
      { kind: 'device', accept: () => {} },
      { ...owner, toolName: 'socket', socket: true },
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
