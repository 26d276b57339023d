import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { Counts } from '../src/counts.ts';

function counting() {
  let nowMs = 0;
  let asked = 0;
  let fail: Error | undefined;
  const lines: string[] = [];
  const counts = new Counts({
    store: {
      async countPending() {
        asked++;
        if (fail) throw fail;
        return asked;
      },
      countWaits: async () => 3,
    },
    sessions: { count: async () => 7 },
    log: (_level, message) => void lines.push(message),
    monotonic: () => nowMs,
  });
  return {
    counts,
    lines,
    pending: async () => (await counts.current()).pending_approvals,
    asked: () => asked,
    pass: (ms: number) => {
      nowMs += ms;
    },
    failWith: (error: Error | undefined) => {
      fail = error;
    },
  };
}

describe('Counts', () => {
  it('counts when asked, and shares what it counted for less than 100 ms', async () => {
    verifies('gauges.fresh');
    const { counts, pending, pass, asked } = counting();
    expect(asked()).toBe(0);
    expect(await counts.current()).toEqual({ pending_approvals: 1, provider_waits: 3, sessions: 7 });
    pass(99);
    expect(await pending()).toBe(1);
    pass(1);
    expect(await pending()).toBe(2);
  });

  it('counts once for all who ask at the same time', async () => {
    const { pending, asked } = counting();
    expect(await Promise.all(Array.from({ length: 100 }, pending))).toEqual(Array(100).fill(1));
    expect(asked()).toBe(1);
  });

  it('counts anew after a change, also one that came while it counted', async () => {
    const { counts, pending } = counting();
    const before = pending();
    counts.changed();
    const after = pending();
    expect([await before, await after]).toEqual([1, 2]);
    counts.changed();
    expect(await pending()).toBe(3);
  });

  it('keeps the last counts when the store fails, says so, and asks it again', async () => {
    const { pending, failWith, pass, lines } = counting();
    await pending();
    failWith(new Error('locked'));
    pass(100);
    expect(await pending()).toBe(1);
    expect(lines).toEqual(['approvals, waits and sessions could not be counted']);
    failWith(undefined);
    pass(100);
    expect(await pending()).toBe(3);
  });

  it('does not wait for a store that never answers', async () => {
    const lines: unknown[] = [];
    const counts = new Counts({
      store: { countPending: () => new Promise(() => {}), countWaits: async () => 0 },
      sessions: { count: async () => 1 },
      log: (_level, message) => void lines.push(message),
      monotonic: () => 0,
    });
    expect(await counts.current()).toEqual({ pending_approvals: 0, provider_waits: 0, sessions: 0 });
    expect(lines).toHaveLength(1);
  });
});
