import { setTimeout as sleep } from 'node:timers/promises';
import { HTTPError, reply, Type } from '@waymark/contract';
import { type EngineContext, RouteResponse } from '@waymark/contract/engine';
import type { Step } from '@waymark/contract/runs';
import type { AuditEvent } from '@waymark/contract/stores';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { route, serve } from './kit.ts';

/** A step that waits no time, and remembers how long it should have. */
function stepOf(more: Partial<Step> = {}): Step & { readonly waits: number[] } {
  const waits: number[] = [];
  return {
    ...{ runId: 'r1', seq: 3, key: 'r1.3', grantedTokens: null, waits },
    gate: async () => ({ approved: true, note: '' }),
    begin: async () => {},
    again: async (ms) => {
      waits.push(ms);
      return true;
    },
    record: async () => {},
    onDrop: () => {},
    ...more,
  };
}

type Answer = (context: EngineContext, n: number) => unknown;

/** A tool that may be called again, and how often it was. */
function tool(answer: Answer, options: Parameters<typeof route>[2] = {}) {
  const events: AuditEvent[] = [];
  const given: unknown[] = [];
  const one = route(
    'PUT',
    '/orders/{id}',
    {
      ...{ tool: true, retry: { attempts: 3, backoffMs: 100 } },
      input: { id: Type.Integer(), lines: Type.Optional(Type.Array(Type.String())) },
      ...options,
    },
    (context) => {
      given.push(structuredClone(context.input));
      return answer(context, given.length);
    },
  );
  const served = serve([one], { emit: (event) => events.push(event), random: () => 0 });
  return { served, given, events };
}

const failing =
  (status: number): Answer =>
  () => {
    throw new HTTPError(status, `failed with ${status}`);
  };

describe('a call of a run', () => {
  it.each([429, 502, 503, 504])('is made again after a %i, as often as its route says', async (status) => {
    verifies('run.retry.passing');
    const { served, given } = tool(failing(status));
    const step = stepOf();
    const { status: answered, body } = await served.tool({ id: 1 }, { step });
    expect(answered).toBe(status);
    expect(body).toMatchObject({ detail: `failed with ${status}` });
    expect(given).toEqual([{ id: 1 }, { id: 1 }, { id: 1 }]);
    expect(step.waits).toEqual([100, 200]);
  });

  it.each([400, 404, 409, 422, 500, 501])('is not made again after a %i', async (status) => {
    verifies('run.retry.passing');
    const { served, given } = tool(failing(status));
    expect((await served.tool({ id: 1 }, { step: stepOf() })).status).toBe(status);
    expect(given).toHaveLength(1);
  });

  it('is not made again after a bug, nor where its route does not say so', async () => {
    const bug = tool(() => {
      throw new Error('a bug');
    });
    expect((await bug.served.tool({ id: 1 }, { step: stepOf() })).status).toBe(500);
    expect(bug.given).toHaveLength(1);
    const { served, given } = tool(failing(503), { retry: undefined } as never);
    await served.tool({ id: 1 }, { step: stepOf() });
    expect(given).toHaveLength(1);
  });

  it.each([
    [1, 503, 1],
    [2, 503, 2],
    [3, 200, 3],
    [10, 200, 3],
  ])('of %i attempts answers %i when the third would work', async (attempts, status, times) => {
    verifies('run.retry.attempts');
    const { served, given } = tool((_, n) => (n < 3 ? reply(503, 'later') : { done: n }), {
      retry: { attempts, backoffMs: 1 },
    });
    expect((await served.tool({ id: 1 }, { step: stepOf() })).status).toBe(status);
    expect(given).toHaveLength(times);
  });

  it('has the same key, and what it was given at first, whatever its handler made of it', async () => {
    verifies('run.retry.key');
    const keys: unknown[] = [];
    const { served, given } = tool(({ request, input }, n) => {
      keys.push(request.headers['idempotency-key']);
      (input['lines'] as string[]).push('changed');
      return n < 3 ? reply(429, 'slower') : 'done';
    });
    await served.tool({ id: 1, lines: ['a'] }, { step: stepOf() });
    expect(keys).toEqual(['r1.3', 'r1.3', 'r1.3']);
    expect(given[1]).toEqual({ id: 1, lines: ['a'] });
    expect(given[2]).toEqual({ id: 1, lines: ['a'] });
  });

  it('waits as long as the answer asks for, a minute at most, and never shorter than its own back-off', async () => {
    verifies('run.retry.wait');
    const said = ['7', '0', '3600'];
    const { served } = tool((_, n) => reply(503, 'later', { 'retry-after': said[n - 1] ?? '' }), {
      retry: { attempts: 4, backoffMs: 40_000 },
    });
    const step = stepOf();
    await served.tool({ id: 1 }, { step });
    // 40 s, then twice that and so a minute.
    expect(step.waits).toEqual([40_000, 60_000, 60_000]);
    const { served: quick } = tool((_, n) => reply(503, 'later', { 'retry-after': said[n - 1] ?? '' }));
    const other = stepOf();
    await quick.tool({ id: 1 }, { step: other });
    expect(other.waits).toEqual([7_000, 200]);
  });

  it('waits down to half of its back-off, at random', async () => {
    const one = route('GET', '/a', { retry: { attempts: 2, backoffMs: 100 } }, failing(503) as never);
    const step = stepOf();
    await serve([one], { random: () => 1 }).tool({}, { step });
    expect(step.waits).toEqual([50]);
  });

  it('is not made again when its step must not', async () => {
    const { served, given } = tool(failing(503));
    const { status } = await served.tool({ id: 1 }, { step: stepOf({ again: async () => false }) });
    expect([status, given.length]).toEqual([503, 1]);
  });

  it('has the time of its route for each attempt, and a signal of its own', async () => {
    verifies('run.retry.wait');
    const fired: boolean[] = [];
    const { served, given } = tool(
      async ({ signal }, n) => {
        fired.push(signal.aborted);
        if (n < 3) await sleep(10_000, undefined, { signal });
        return 'done';
      },
      { timeoutMs: 40, output: { 200: Type.String() } },
    );
    expect((await served.tool({ id: 1 }, { step: stepOf() })).status).toBe(200);
    expect(given).toHaveLength(3);
    expect(fired).toEqual([false, false, false]);
  });

  it('is made again when an answer of another breaks off', async () => {
    verifies('run.retry.passing');
    const { served, given } = tool((_, n) => {
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"whole":'));
          if (n === 1) controller.error(new Error('reset'));
          else controller.enqueue(new TextEncoder().encode('true}'));
          if (n > 1) controller.close();
        },
      });
      return new RouteResponse(200, { kind: 'stream', stream, mediaType: 'application/json' });
    });
    const { body } = await served.tool({ id: 1 }, { step: stepOf() });
    expect(body.kind === 'bytes' && new TextDecoder().decode(body.bytes)).toBe('{"whole":true}');
    expect(given).toHaveLength(2);
  });

  it('is one use of its tool, and says how many attempts it took', async () => {
    verifies('audit.one-per-use');
    const { served, events } = tool((_, n) => (n < 3 ? reply(502, 'broken') : 'done'));
    await served.tool({ id: 1 }, { step: stepOf() });
    expect(events).toEqual([expect.objectContaining({ kind: 'tool_called', status: 200, attempts: 3 })]);
  });
});

it('a call from outside is made once', async () => {
  verifies('run.retry.runs-only');
  for (const via of ['http', 'mcp', 'socket'] as const) {
    const { served, given, events } = tool(failing(503));
    expect((await served.tool({ id: 1 }, { via })).status).toBe(503);
    expect(given).toHaveLength(1);
    expect(events[0]).not.toHaveProperty('attempts');
  }
});
