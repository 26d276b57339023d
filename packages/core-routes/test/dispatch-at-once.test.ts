import { HTTPError, Type } from '@waymark/contract';
import type { BodyReceiver, BodySource, EngineContext } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { answerOf, caller, jsonBody, route, serve, toCall } from './kit.ts';

afterEach(() => void vi.useRealTimers());

/** A body that comes when the test says so. */
function arrivingBody(contentLength?: number) {
  let receiver: BodyReceiver | undefined;
  const ended: unknown[] = [];
  const body: BodySource = {
    contentType: 'application/json',
    contentLength,
    read: () => Promise.reject(new Error('`collect` is there')),
    collect(_limit, given) {
      receiver = given;
      return (reason) => {
        ended.push(reason);
        given.failed(reason);
      };
    },
    stream: () => new ReadableStream(),
  };
  return {
    body,
    ended,
    arrive: (value: unknown) => receiver?.arrived(new TextEncoder().encode(JSON.stringify(value))),
    fail: (error: unknown) => receiver?.failed(error),
    /** Shows it a piece, as a door does. */
    come: (text: string) => receiver?.check?.(new TextEncoder().encode(text)),
  };
}

/** What hostile handlers give back, or do. */
const handlers: readonly (readonly [name: string, answer: () => unknown, expected: unknown])[] = [
  ['a value', () => 'now', 'now'],
  ['nothing', () => undefined, { kind: 'empty' }],
  ['a promise', () => Promise.resolve('later'), 'later'],
  [
    'a promise that rejects',
    () => Promise.reject(new HTTPError(409, 'taken')),
    { status: 409, kind: 'problem', detail: 'taken' },
  ],
  [
    'an error thrown at once',
    () => {
      throw new HTTPError(409, 'taken');
    },
    { status: 409, kind: 'problem', detail: 'taken' },
  ],
  [
    'no error thrown at once',
    () => {
      const nothing: unknown = undefined;
      throw nothing as Error;
    },
    { status: 500, kind: 'problem', detail: 'internal error' },
  ],
  [
    'an error thrown at once that cannot be looked at',
    () => {
      const { proxy, revoke } = Proxy.revocable(new Error('x'), {});
      revoke();
      throw proxy;
    },
    { status: 500, kind: 'problem', detail: 'internal error' },
  ],
  [
    'an error of ours with a member that throws',
    () => {
      const status = {
        get(): never {
          throw new Error('x');
        },
      };
      throw Object.defineProperty(new HTTPError(409, 'taken'), 'status', status);
    },
    { status: 500, kind: 'problem', detail: 'internal error' },
  ],
  [
    'a thenable that answers at once',
    // biome-ignore lint/suspicious/noThenProperty: as query builders have it
    () => ({ then: (resolve: (value: string) => void) => resolve('built') }),
    'built',
  ],
  [
    'a thenable that answers twice, then fails',
    () => ({
      // biome-ignore lint/suspicious/noThenProperty: hostile
      then(resolve: (value: string) => void, reject: (error: Error) => void) {
        resolve('first');
        resolve('second');
        reject(new Error('third'));
        throw new Error('fourth');
      },
    }),
    'first',
  ],
  [
    'a thenable that throws',
    () => ({
      // biome-ignore lint/suspicious/noThenProperty: hostile
      then() {
        throw new HTTPError(418, 'no');
      },
    }),
    { status: 418, kind: 'problem', detail: 'no' },
  ],
  [
    'an object whose `then` cannot be read',
    () =>
      Object.defineProperty({}, 'then', {
        get() {
          throw new HTTPError(418, 'no');
        },
      }),
    { status: 418, kind: 'problem', detail: 'no' },
  ],
  // biome-ignore lint/suspicious/noThenProperty: data may have it
  ['an object with a `then` that is data', () => ({ then: 'data' }), { then: 'data' }],
  [
    'a value that is no JSON',
    () => ({ big: 1n }),
    { status: 500, kind: 'problem', detail: 'internal error' },
  ],
];

describe('dispatch', () => {
  it.each([
    ['a value', () => ({ is: 'there' }), 200],
    ['an error', fails, 413],
  ] as const)('answers without a promise where nothing is waited for: %s', (_, answer, status) => {
    verifies('http.cost.promises');
    const { dispatcher } = serve([route('GET', '/now', {}, answer)]);
    expect(dispatcher.dispatch(toCall(dispatcher, 'GET', '/now'))).toMatchObject({ status });
  });

  it('refuses without a promise, too', () => {
    const { dispatcher } = serve([
      route('GET', '/scoped', { scopes: ['a'] }),
      route('POST', '/typed', { input: { n: Type.Integer() } }),
    ]);
    expect(dispatcher.dispatch(toCall(dispatcher, 'GET', '/scoped'))).toMatchObject({ status: 403 });
    const call = { body: { ...jsonBody({}), contentType: 'text/plain' } };
    expect(dispatcher.dispatch(toCall(dispatcher, 'POST', '/typed', call))).toMatchObject({ status: 415 });
    expect(dispatcher.dispatch(toCall(dispatcher, 'POST', '/typed'))).toMatchObject({ status: 422 });
  });

  it.each(handlers)('answers alike at once and behind a body: %s', async (_, answer, expected) => {
    const { dispatcher } = serve([
      route('GET', '/it', {}, answer),
      route('POST', '/it', { body: 'json', strict: false }, answer),
    ]);
    const now = await dispatcher.dispatch(toCall(dispatcher, 'GET', '/it'));
    expect(answerOf(now)).toEqual(expected);
    const { body, arrive } = arrivingBody();
    const later = dispatcher.dispatch(toCall(dispatcher, 'POST', '/it', { body }));
    arrive({});
    expect(answerOf(await later)).toEqual(expected);
  });

  it('works in the turn in which the last byte of the body comes', () => {
    const seen: unknown[] = [];
    const { dispatcher } = serve([
      route('POST', '/it', { input: { n: Type.Integer() } }, ({ input }: EngineContext) => seen.push(input)),
    ]);
    const { body, arrive } = arrivingBody();
    void dispatcher.dispatch(toCall(dispatcher, 'POST', '/it', { body }));
    expect(seen).toEqual([]);
    arrive({ n: 1 });
    expect(seen).toEqual([{ n: 1 }]);
  });

  it('ends a body that is late, and is heard by nobody when it comes after all', async () => {
    vi.useFakeTimers();
    const work = vi.fn<() => string>(() => 'done');
    const { dispatcher } = serve([route('POST', '/it', { body: 'json', timeoutMs: 1_000 }, work)]);
    const { body, ended, arrive } = arrivingBody();
    const answer = dispatcher.dispatch(toCall(dispatcher, 'POST', '/it', { body }));
    await vi.advanceTimersByTimeAsync(999);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(answerOf(await answer)).toMatchObject({ status: 408 });
    expect(ended).toEqual([expect.objectContaining({ status: 408 })]);
    expect(work).not.toHaveBeenCalled();
    arrive({});
    await vi.advanceTimersByTimeAsync(10_000);
    expect(ended.length).toBe(1);
  });

  it('leaves no timer behind once the body is there', async () => {
    vi.useFakeTimers();
    const { dispatcher } = serve([route('POST', '/it', { body: 'json', timeoutMs: 1_000 })]);
    for (const settle of ['arrive', 'fail'] as const) {
      const waiting = arrivingBody();
      const answer = dispatcher.dispatch(toCall(dispatcher, 'POST', '/it', { body: waiting.body }));
      expect(vi.getTimerCount()).toBe(1);
      waiting[settle](new HTTPError(400, 'cut off'));
      expect(vi.getTimerCount()).toBe(0);
      await answer;
    }
  });

  it('gives the deadline of a handler behind a body no more time', async () => {
    vi.useFakeTimers();
    const { dispatcher } = serve([
      route('POST', '/it', { body: 'json', timeoutMs: 1_000 }, () => new Promise(() => {})),
    ]);
    const { body, arrive } = arrivingBody();
    const answer = dispatcher.dispatch(toCall(dispatcher, 'POST', '/it', { body }));
    await vi.advanceTimersByTimeAsync(900);
    arrive({});
    await vi.advanceTimersByTimeAsync(100);
    expect(answerOf(await answer)).toMatchObject({ status: 504 });
  });

  it.each([
    ['too many values', '{"a":[', '1,'.repeat(100), 413],
    ['too deep', '{"a":', '['.repeat(64), 400],
  ])('refuses a large body as it comes: %s', (_, open, rest, status) => {
    verifies('http.body.refused-as-it-comes');
    const { dispatcher } = serve([
      route('POST', '/large', { body: 'json', maxBodyBytes: 4_000_000, maxBodyValues: 100 }),
      route('POST', '/small', { body: 'json', maxBodyValues: 100 }),
      route('POST', '/bytes', { maxBodyBytes: 4_000_000 }),
    ]);
    const comesTo = (path: string, contentLength?: number) => {
      const { body, come } = arrivingBody(contentLength);
      void dispatcher.dispatch(toCall(dispatcher, 'POST', path, { body }));
      come(open);
      return () => come(rest);
    };
    for (const length of [3_000_000, undefined])
      expect(comesTo('/large', length)).toThrow(expect.objectContaining({ status }));
    // What cannot be large is looked at once it is there, and what is no JSON never.
    for (const [path, length] of [
      ['/large', 1_048_576],
      ['/small', undefined],
      ['/bytes', undefined],
    ] as const)
      expect(comesTo(path, length)).not.toThrow();
  });

  it('reads a large body that it looked at as it came', async () => {
    const { dispatcher } = serve([
      route('POST', '/large', { body: 'json', strict: false, maxBodyBytes: 4_000_000 }, ({ request }) => {
        const { a, b } = request.json() as { readonly a: string; readonly b: readonly unknown[] };
        return { a: a.length, b };
      }),
    ]);
    const a = 'x'.repeat(1_500_000);
    const b = [1, { c: 'y"'.repeat(3_000) }];
    const value = { a, b };
    const text = JSON.stringify(value);
    for (const seen of [0, 1_000_000, text.length]) {
      const { body, come, arrive } = arrivingBody(text.length);
      const answer = dispatcher.dispatch(toCall(dispatcher, 'POST', '/large', { body }));
      if (seen > 0) come(text.slice(0, seen));
      arrive(value);
      expect(answerOf(await answer)).toEqual({ a: a.length, b });
    }
  });

  it('answers a body source that throws instead of rejecting', async () => {
    const { dispatcher } = serve([route('POST', '/it', { body: 'json' })]);
    const broken = { ...arrivingBody().body, read: fails, collect: fails };
    const { collect: _, ...older } = broken;
    for (const body of [broken, older])
      expect(answerOf(await dispatcher.dispatch(toCall(dispatcher, 'POST', '/it', { body })))).toMatchObject({
        status: 413,
      });
  });

  it('lets a handler dispatch, and gives it the answer in the same turn', () => {
    const served = serve([
      route('GET', '/inner', {}, () => ({ inner: true })),
      route('GET', '/outer', {}, () => {
        const inner = served.dispatcher.dispatch(toCall(served.dispatcher, 'GET', '/inner'));
        return inner instanceof Promise ? 'promise' : answerOf(inner);
      }),
    ]);
    const answer = served.dispatcher.dispatch(toCall(served.dispatcher, 'GET', '/outer'));
    expect(answer instanceof Promise ? answer : answerOf(answer)).toEqual({ inner: true });
  });

  it('answers 500 to handlers that call each other without end, and works on', async () => {
    const served = serve([
      route('GET', '/endless', {}, () =>
        served.dispatcher.dispatch(toCall(served.dispatcher, 'GET', '/endless')),
      ),
      route('GET', '/after', {}, () => 'well'),
    ]);
    const { dispatcher } = served;
    expect((await dispatcher.dispatch(toCall(dispatcher, 'GET', '/endless'))).status).toBe(500);
    expect(answerOf(await dispatcher.dispatch(toCall(dispatcher, 'GET', '/after')))).toBe('well');
  });

  it('lets go of the signals of its caller, whether it answered at once or not', async () => {
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, 'removeEventListener');
    const { dispatcher } = serve([
      route('GET', '/now', {}, ({ signal: own }: EngineContext) => own.aborted),
      route('GET', '/later', {}, async ({ signal: own }: EngineContext) => own.aborted),
    ]);
    for (const path of ['/now', '/later'])
      expect(answerOf(await dispatcher.dispatch(toCall(dispatcher, 'GET', path, { call: { signal } })))).toBe(
        false,
      );
    expect(removed).toHaveBeenCalledTimes(2);
  });

  it('tells of a use of a tool once, whether it answered at once, later or not at all', async () => {
    const emit = vi.fn<(event: object) => void>();
    const { tool } = serve(
      [
        route('POST', '/now', { tool: true, toolName: 'now' }),
        route('POST', '/later', { tool: true, toolName: 'later' }, async () => 'later'),
        route('POST', '/broken', { tool: true, toolName: 'broken' }, fails),
        route('POST', '/scoped', { tool: true, toolName: 'scoped', scopes: ['a'] }),
      ],
      { emit },
    );
    for (const name of ['now', 'later', 'broken', 'scoped']) await tool({}, { principal: caller('b') }, name);
    expect(emit.mock.calls.map(([event]) => event)).toMatchObject([
      { kind: 'tool_called', status: 200 },
      { kind: 'tool_called', status: 200 },
      { kind: 'tool_called', status: 413 },
      { kind: 'tool_refused', status: 403 },
    ]);
  });

  it('leaves no rejection unhandled where a call is late and its handler fails after all', async () => {
    vi.useFakeTimers();
    const unhandled = vi.fn<() => void>();
    process.on('unhandledRejection', unhandled);
    const { dispatcher } = serve([
      route('GET', '/it', { timeoutMs: 10 }, async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        throw new Error('too late');
      }),
    ]);
    const answer = dispatcher.dispatch(toCall(dispatcher, 'GET', '/it'));
    await vi.advanceTimersByTimeAsync(100);
    vi.useRealTimers();
    expect((await answer).status).toBe(504);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

function fails(): never {
  throw new HTTPError(413, 'too much');
}
