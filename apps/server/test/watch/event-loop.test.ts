import type { Log } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Culprit } from '../../src/watch/current-call.ts';
import { EventLoop } from '../../src/watch/event-loop.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const call = { route: 'get_slow', request_id: 'r1' };

/** A loop whose clock is held up by hand: timers stand still meanwhile. */
function open(blame: () => Culprit | undefined = () => undefined) {
  let nowMs = 0;
  let usedMs = 0;
  const log = vi.fn<Log>();
  const monotonic = vi.fn<() => number>(() => nowMs);
  const loop = new EventLoop({ log, monotonic, cpuMs: () => usedMs, culprit: blame });
  loop.start();
  const pass = (ms: number): void => {
    for (let left = ms; left > 0; left -= 20) {
      nowMs += 20;
      vi.advanceTimersByTime(20);
    }
  };
  const block = (ms: number, cpuMs = ms): void => {
    nowMs += ms;
    usedMs += cpuMs;
    pass(20);
  };
  return { loop, log, monotonic, pass, block };
}

describe('the event loop', () => {
  it.each([
    [99, 0],
    [100, 0],
    [101, 1],
  ])('is told of where it is held up for more than 100 ms: %i ms', (ms, lines) => {
    verifies('log.slow-turn');
    const { log, block } = open();
    block(ms, 90);
    expect(log.mock.calls).toEqual(
      lines === 0 ? [] : [['warn', 'a turn of the event loop took long', { duration_ms: ms, cpu_ms: 90 }]],
    );
  });

  it.each([
    [true, { route: 'get_slow', request_id: 'r1' }],
    [false, { last_route: 'get_slow', last_request_id: 'r1' }],
  ])(
    'names the call that had the turn, and says so where it only came last: measured %s',
    (measured, named) => {
      verifies('log.slow-turn');
      const { log, block } = open(() => ({ call, measured }));
      block(300);
      expect(log.mock.lastCall?.[2]).toEqual({ duration_ms: 300, cpu_ms: 300, ...named });
    },
  );

  it('writes one line a second, and how many were left out', () => {
    const { log, block, pass } = open();
    for (let i = 0; i < 5; i++) block(150);
    expect(log).toHaveBeenCalledTimes(1);
    pass(1_000);
    block(200);
    expect(log).toHaveBeenCalledTimes(2);
    expect(log.mock.lastCall?.[2]).toMatchObject({ duration_ms: 200, left_out: 4 });
    pass(2_000);
    block(200);
    expect(log.mock.lastCall?.[2]).not.toHaveProperty('left_out');
  });

  it('knows how long 99 of 100 wait of those that come at any moment of ten seconds', () => {
    verifies('health.event-loop');
    const { loop, pass, block } = open();
    pass(10_000);
    expect(loop.p99Ms).toBe(0);
    // A hundredth of ten seconds waits longer than that.
    block(5_000);
    expect(loop.p99Ms).toBe(4_900);
    pass(9_900);
    expect(loop.p99Ms).toBe(4_900);
    pass(200);
    expect(loop.p99Ms).toBe(0);
    for (let i = 0; i < 4; i++) block(200);
    expect(loop.p99Ms).toBe(175);
    for (let i = 0; i < 4; i++) block(100);
    expect(loop.p99Ms).toBe(175);
  });

  it('works that out once for each look at the loop', () => {
    const { loop, block, monotonic } = open();
    block(5_000);
    const before = monotonic.mock.calls.length;
    for (let i = 0; i < 10; i++) expect(loop.p99Ms).toBe(4_900);
    expect(monotonic.mock.calls.length - before).toBe(1);
  });

  it.each([
    [2_000, []],
    [2_001, ['event-loop-slow']],
  ])('is a trouble when slow turns took more than two of ten seconds: %i ms', (ms, codes) => {
    verifies('health.event-loop.slow');
    const { loop, pass, block } = open();
    pass(5_000);
    block(1_000);
    block(ms - 1_000);
    expect(loop.troubles().map(({ code }) => code)).toEqual(codes);
  });

  it('is none where many turns are short', () => {
    const { loop, block } = open();
    for (let i = 0; i < 80; i++) block(100);
    expect(loop.troubles()).toEqual([]);
  });

  it('is one until slow turns take less than half a second of ten', () => {
    verifies('health.event-loop.slow');
    const { loop, pass, block } = open();
    block(2_500);
    expect(loop.troubles()).toHaveLength(1);
    pass(9_000);
    block(501);
    pass(9_400);
    expect(loop.troubles()).toHaveLength(1);
    pass(600);
    expect(loop.troubles()).toEqual([]);
    block(501);
    expect(loop.troubles()).toEqual([]);
  });

  it('is left alone once it is stopped', () => {
    const { loop, log, block } = open();
    loop.stop();
    block(500);
    expect(log).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});
