import { getEventListeners } from 'node:events';
import { HTTPError } from '@waymark/contract';
import type { Call, EngineContext } from '@waymark/contract/engine';
import type { Decision, Step } from '@waymark/contract/runs';
import { verifies } from '@waymark/contract/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Deadlines } from '../src/call/deadlines.ts';
import { answerOf, bytesBody, caller, detailOf, later, route, serve } from './kit.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = (): Promise<never> => new Promise(() => {});

/** Where a promise stands after `ms`. */
async function after<T>(ms: number, promise: Promise<T>): Promise<T | 'pending'> {
  await vi.advanceTimersByTimeAsync(ms);
  return Promise.race([promise, Promise.resolve('pending' as const)]);
}

describe('Deadlines', () => {
  it.each([1_999, 1, 0, -5])('keeps times below two seconds exactly: %i ms', (ms) => {
    const onTime = vi.fn<() => void>();
    new Deadlines().add(ms, onTime);
    if (ms > 0) vi.advanceTimersByTime(ms - 1);
    expect(onTime).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onTime).toHaveBeenCalledTimes(1);
  });

  it.each([2_000, 2_001, 30_000, 600_000])(
    'keeps longer ones within half a second, never early: %i ms',
    (ms) => {
      const onTime = vi.fn<() => void>();
      const deadlines = new Deadlines();
      // Not in step with the slots.
      vi.advanceTimersByTime(133);
      deadlines.add(5_000, () => {});
      vi.advanceTimersByTime(71);
      deadlines.add(ms, onTime);
      vi.advanceTimersByTime(ms - 1);
      expect(onTime).not.toHaveBeenCalled();
      vi.advanceTimersByTime(501);
      expect(onTime).toHaveBeenCalledTimes(1);
      vi.advanceTimersByTime(2_000);
      expect(onTime).toHaveBeenCalledTimes(1);
    },
  );

  it.each([100, 30_000])('forgets what was cancelled: %i ms', (ms) => {
    const onTime = vi.fn<() => void>();
    const cancel = new Deadlines().add(ms, onTime);
    cancel();
    cancel();
    vi.advanceTimersByTime(ms + 1_000);
    expect(onTime).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('waits for no end', () => {
    new Deadlines().add(Number.POSITIVE_INFINITY, () => {});
    expect(vi.getTimerCount()).toBe(0);
  });

  it('holds one timer for any number of deadlines, and none afterwards', () => {
    const deadlines = new Deadlines();
    const cancels = Array.from({ length: 1_000 }, (_, i) => deadlines.add(30_000 + i, () => {}));
    expect(vi.getTimerCount()).toBe(1);
    for (const cancel of cancels) cancel();
    vi.advanceTimersByTime(1_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('takes deadlines that are set while others fire', () => {
    const deadlines = new Deadlines();
    const again = vi.fn<() => void>();
    deadlines.add(2_000, () => void deadlines.add(2_000, again));
    vi.advanceTimersByTime(6_000);
    expect(again).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a call out of time', () => {
  it.each([
    ['by default', {}, 30_000, 'timed out after 30 s'],
    ['as the application says', { requestTimeoutMs: 5_000 }, 5_000, 'timed out after 5 s'],
  ] as const)('is answered 504: %s', async (_, limits, ms, detail) => {
    verifies(
      'http.order.timeout',
      'http.status.504',
      'limit.request-timeout',
      'app.option.request-timeout.default',
      'http.timeout.tools',
      'http.timeout.mcp',
    );
    const { tool } = serve([route('GET', '/x', {}, never)], {}, limits);
    for (const via of ['http', 'mcp', 'agent'] as const) {
      const answer = tool({}, { via });
      expect(await after(ms - 1, answer)).toBe('pending');
      const response = await after(501, answer);
      if (response === 'pending') throw new Error('it still waits');
      expect(answerOf(response)).toEqual({ status: 504, kind: 'problem', detail, code: 'timeout' });
    }
  });

  it('has the time that its route says', async () => {
    const { tool } = serve([route('GET', '/x', { timeoutMs: 1_500 }, never)], {}, { requestTimeoutMs: 100 });
    const answer = tool({});
    expect(await after(1_499, answer)).toBe('pending');
    expect(await after(1, answer)).toMatchObject({ status: 504, body: { detail: 'timed out after 1.5 s' } });
  });

  it('has as much for each pause of a stream, which every door reads off its answer', async () => {
    const stream = () => new ReadableStream<Uint8Array>();
    const pauseOf = async (timeoutMs: number | undefined, limits = {}): Promise<unknown> => {
      const own = timeoutMs === undefined ? {} : { timeoutMs };
      const { body } = await serve([route('GET', '/x', own, stream)], {}, limits).tool({});
      return body.kind === 'stream' ? body.pauseMs : body;
    };
    expect(await pauseOf(undefined)).toBe(30_000);
    expect(await pauseOf(undefined, { requestTimeoutMs: 5_000 })).toBe(5_000);
    expect(await pauseOf(100, { requestTimeoutMs: 5_000 })).toBe(100);
    expect(await pauseOf(1e12)).toBe(2_147_483_647);
    // One that may take for ever is cut as the door says.
    expect(await pauseOf(Number.POSITIVE_INFINITY, { requestTimeoutMs: 5_000 })).toBeUndefined();
  });

  it('ends no later than its caller', async () => {
    const { tool } = serve([route('GET', '/x', {}, never)]);
    const answer = tool({}, { deadlineMs: performance.now() + 1_000 });
    expect(await after(999, answer)).toBe('pending');
    expect(await after(1, answer)).toMatchObject({ status: 504 });
    expect(await after(1, tool({}, { deadlineMs: performance.now() - 1_000 }))).toMatchObject({
      status: 504,
    });
  });

  it('sees its signal aborted, before it is answered', async () => {
    verifies('http.timeout.signal');
    const order: string[] = [];
    const { tool } = serve([
      route('GET', '/x', { timeoutMs: 100 }, ({ signal }) => {
        signal.addEventListener('abort', () => order.push(`aborted: ${(signal.reason as Error).message}`));
        return never();
      }),
    ]);
    const answer = tool({}).then(() => order.push('answered'));
    await after(100, answer);
    expect(order).toEqual(['aborted: timed out after 0.1 s', 'answered']);
  });

  it('sees it aborted also when it looks only afterwards', async () => {
    const aborted: boolean[] = [];
    const { tool } = serve([
      route('GET', '/x', { timeoutMs: 100 }, async ({ request }) => {
        await new Promise((resolve) => setTimeout(resolve, 200));
        aborted.push(request.signal.aborted);
      }),
    ]);
    void tool({});
    await vi.advanceTimersByTimeAsync(300);
    expect(aborted).toEqual([true]);
  });

  it('is answered 408 while its body does not arrive, also where a run would follow', async () => {
    const plain = route('POST', '/run', { timeoutMs: 100 });
    const { request: start } = serve([{ ...plain, engine: { ...plain.engine, durability: 'run' } }]);
    const waits = start('POST', '/run', { body: { ...bytesBody('x'), read: never } });
    expect(await after(100, waits)).toMatchObject({ status: 408 });
  });

  it('is answered 408 while its body does not arrive', async () => {
    const { request } = serve([route('POST', '/x', { timeoutMs: 100 })]);
    const answer = request('POST', '/x', { body: { ...bytesBody('x'), read: never } });
    expect(await after(100, answer)).toMatchObject({
      status: 408,
      body: { detail: 'the body did not arrive within 0.1 s' },
    });
  });

  it('may fail late without anybody noticing', async () => {
    const unhandled = vi.fn<() => void>();
    process.on('unhandledRejection', unhandled);
    const late = (ms: number, error: unknown) => () =>
      new Promise((_, reject) => setTimeout(() => reject(error), ms));
    async function* generator(): AsyncGenerator<{ event: string; data: unknown }, void> {
      try {
        await late(200, new Error('late'))();
      } finally {
        yield { event: 'progress', data: 1 };
      }
    }
    const { tool, request } = serve([
      route('GET', '/a', { timeoutMs: 100 }, late(200, new Error('late'))),
      route('GET', '/b', { timeoutMs: 100 }, late(100, undefined)),
      route('GET', '/c', { timeoutMs: 100 }, () => generator()),
      route('POST', '/d', { timeoutMs: 100 }),
    ]);
    const answers = [
      tool({}, {}, 'get_a'),
      tool({}, {}, 'get_b'),
      tool({}, {}, 'get_c'),
      request('POST', '/d', {
        body: { ...bytesBody('x'), read: late(200, new HTTPError(413, 'late')) as () => Promise<never> },
      }),
    ];
    await vi.advanceTimersByTimeAsync(1_000);
    for (const answer of await Promise.all(answers)) expect([408, 500, 504]).toContain(answer.status);
    vi.useRealTimers();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('does not exist for what answers at once', async () => {
    const { tool } = serve([route('GET', '/x', { timeoutMs: 1 }, () => 'at once')]);
    expect((await tool({}, { deadlineMs: 0 })).status).toBe(200);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a run', () => {
  it.each([
    ['by default', {}, 600_000],
    ['as the application says', { agentTimeoutMs: 5_000 }, 5_000],
  ] as const)('is told its deadline, and ends its legs itself: %s', async (_, limits, ms) => {
    verifies('app.option.agent-timeout.default');
    const deadlines: (number | undefined)[] = [];
    const runner = {
      open: (_spec: unknown, call: Call) => {
        deadlines.push((call.deadlineMs ?? 0) - performance.now());
        return never();
      },
    } as never;
    const opens = (context: EngineContext): unknown =>
      context.openRun(
        { kind: 'flow', name: 'f', codeVersion: '', scopes: [], tokenBudget: null, maxSteps: null },
        () => Promise.reject(new Error()),
      );
    const flow = route('POST', '/x', {}, opens);
    const { tool } = serve([{ ...flow, engine: { ...flow.engine, durability: 'run' } }], { runner }, limits);
    const answer = tool({}, { via: 'http' });
    expect(await after(24 * 3_600_000, answer)).toBe('pending');
    expect(deadlines).toEqual([ms]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('waiting for a human', () => {
  const gated = (decision: Promise<Decision>, begin: () => Promise<void> = async () => {}): Step => ({
    runId: 'run',
    seq: 1,
    key: 'run.1',
    grantedTokens: null,
    gate: () => decision,
    begin,
    again: async () => true,
    record: async () => {},
    onDrop: (release) => void dropped.push(release),
  });
  let dropped: (() => void)[] = [];
  beforeEach(() => {
    dropped = [];
  });

  it('gives its timer back when the frame of the call is dropped', async () => {
    const { tool } = serve([route('GET', '/x', {}, never)]);
    const answer = tool({}, { via: 'agent', step: gated(never()) });
    expect(await after(1, answer)).toBe('pending');
    expect(vi.getTimerCount()).toBe(1);
    for (const release of dropped) release();
    expect(await after(60_000, answer)).toBe('pending');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('takes no time from the call, and never ends by itself', async () => {
    const { tool } = serve([route('GET', '/x', { approval: 'required' })]);
    const answer = tool({}, { via: 'agent', step: gated(never()), deadlineMs: performance.now() + 10_000 });
    expect(await after(24 * 3_600_000, answer)).toBe('pending');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves the call the whole of its time', async () => {
    const { promise, resolve } = later<Decision>();
    let deadlineMs = 0;
    const slow = route('GET', '/x', { approval: 'required', timeoutMs: 1_000 }, (context) => {
      deadlineMs = context.deadlineMs - performance.now();
      return never();
    });
    const answer = serve([slow]).tool({}, { via: 'flow', step: gated(promise) });
    expect(await after(3_600_000, answer)).toBe('pending');
    resolve({ approved: true, note: '' });
    expect(await after(999, answer)).toBe('pending');
    expect(deadlineMs).toBe(1_000);
    expect(await after(1, answer)).toMatchObject({ status: 504 });
  });

  it.each([3_600_000, -3_600_000])(
    'leaves it the same when the clock is set by %i ms meanwhile',
    async (ms) => {
      const { promise, resolve } = later<Decision>();
      const { tool } = serve([route('GET', '/x', { approval: 'required', timeoutMs: 1_000 }, never)]);
      const answer = tool({}, { via: 'flow', step: gated(promise) });
      vi.setSystemTime(Date.now() + ms);
      resolve({ approved: true, note: '' });
      expect(await after(999, answer)).toBe('pending');
      vi.setSystemTime(Date.now() + ms);
      expect(await after(1, answer)).toMatchObject({ status: 504 });
    },
  );

  it('takes no time either while the calls before it wait', async () => {
    const { tool } = serve([route('GET', '/x', { timeoutMs: 1_000 })]);
    const before = later<void>();
    const answer = tool({}, { via: 'agent', step: gated(never(), () => before.promise) });
    expect(await after(60_000, answer)).toBe('pending');
    before.resolve();
    expect(await after(0, answer)).toMatchObject({ status: 200 });
  });
});

describe('signals', () => {
  it('of caller and shutdown reach the work', async () => {
    for (const which of ['caller', 'shutdown'] as const) {
      const own = new AbortController();
      const { tool } = serve(
        [
          route(
            'GET',
            '/x',
            {},
            ({ signal }) =>
              new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason))),
          ),
        ],
        which === 'shutdown' ? { signal: own.signal } : {},
      );
      const answer = tool({}, which === 'caller' ? { signal: own.signal } : {});
      own.abort('enough');
      expect(answerOf(await answer)).toBe('enough');
    }
  });

  it('that fired before reach it as well', async () => {
    for (const which of ['caller', 'shutdown'] as const) {
      const over = AbortSignal.abort('gone');
      const { tool } = serve(
        [route('GET', '/x', {}, ({ signal }) => [signal.aborted, signal.reason])],
        which === 'shutdown' ? { signal: over } : {},
      );
      expect(answerOf(await tool({}, which === 'caller' ? { signal: over } : {}))).toEqual([true, 'gone']);
    }
  });

  it('are let go of after the call, however it ended', async () => {
    const call = new AbortController().signal;
    const shutdown = new AbortController().signal;
    const { tool, request } = serve(
      [
        route('GET', '/sync', {}, ({ signal }) => signal.aborted),
        route('GET', '/async', {}, async ({ signal }) => signal.aborted),
        route('GET', '/throws', {}, ({ signal }) => {
          throw new Error(String(signal.aborted));
        }),
        route('GET', '/late', { timeoutMs: 10 }, ({ signal }) => (signal.aborted ? 1 : never())),
        route('POST', '/body', {}, ({ signal }) => signal.aborted),
      ],
      { signal: shutdown },
    );
    for (const name of ['get_sync', 'get_async', 'get_throws', 'get_late']) {
      const answer = tool({}, { signal: call }, name);
      await after(10, answer);
    }
    await request('POST', '/body', { call: { signal: call } });
    expect(getEventListeners(call, 'abort')).toEqual([]);
    expect(getEventListeners(shutdown, 'abort')).toEqual([]);
  });

  it('are not followed by somebody who looks when the call is over', async () => {
    const shutdown = new AbortController();
    const contexts: { readonly signal: AbortSignal }[] = [];
    const { tool } = serve([route('GET', '/x', {}, (context) => void contexts.push(context))], {
      signal: shutdown.signal,
    });
    await tool({});
    expect(contexts[0]?.signal.aborted).toBe(false);
    expect(getEventListeners(shutdown.signal, 'abort')).toEqual([]);
  });

  it('and deadlines leave nothing behind after ten thousand calls', async () => {
    const shutdown = new AbortController();
    const call = new AbortController();
    const { tool } = serve(
      [
        route('GET', '/x', {}, async ({ signal }) => signal.aborted),
        route('GET', '/exact', { timeoutMs: 100 }, async ({ signal }) => signal.aborted),
      ],
      { signal: shutdown.signal },
    );
    for (let i = 0; i < 5_000; i++)
      await Promise.all([tool({}, { signal: call.signal }, 'get_x'), tool({}, {}, 'get_exact')]);
    await vi.advanceTimersByTimeAsync(500);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(shutdown.signal, 'abort')).toEqual([]);
    expect(getEventListeners(call.signal, 'abort')).toEqual([]);
  });
});

describe('progress', () => {
  it('reaches the observer, and the last value is the answer', async () => {
    const seen: unknown[] = [];
    async function* work(): AsyncGenerator<{ event: string; data: unknown }, unknown> {
      yield { event: 'progress', data: 1 };
      yield { event: 'progress', data: 2 };
      return 'done';
    }
    const { tool } = serve([route('GET', '/x', { progress: true }, () => work())]);
    const answer = await tool({}, { observe: (progress) => seen.push(progress.data) });
    expect([answerOf(answer), seen]).toEqual(['done', [1, 2]]);
    expect(answerOf(await tool({}))).toBe('done');
  });

  it('ends when the call does, and the generator cleans up', async () => {
    const own = new AbortController();
    const order: unknown[] = [];
    async function* work(): AsyncGenerator<{ event: string; data: unknown }, unknown> {
      try {
        for (let i = 0; ; i++) yield { event: 'progress', data: i };
      } finally {
        order.push('cleaned up');
      }
    }
    const { tool } = serve([route('GET', '/x', { progress: true }, () => work())]);
    const observe = ({ data }: { readonly data: unknown }): void => {
      order.push(data);
      if (data === 2) own.abort(new HTTPError(503, 'gone'));
    };
    const answer = await tool({}, { signal: own.signal, observe, principal: caller() });
    expect(order).toEqual([0, 1, 2, 'cleaned up']);
    expect(detailOf(answer)).toBe('gone');
  });
});
