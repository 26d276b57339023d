import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { Traffic } from '../../src/door/traffic.ts';

function counting() {
  let nowMs = 0;
  const traffic = new Traffic(() => nowMs);
  const wait = (ms: number): void => {
    nowMs += ms;
  };
  return { traffic, wait };
}

describe('Traffic', () => {
  it('counts answers, and those that were errors', () => {
    verifies('listing.overview.requests');
    const { traffic } = counting();
    for (const status of [200, 204, 302, 400, 404, 499, 500, 503]) traffic.add(status, 1);
    expect(traffic.count(60_000)).toMatchObject({ requests: 8, clientErrors: 3, serverErrors: 2 });
  });

  it.each([0.2, 3, 17, 240, 5_000, 100_000])(
    'says durations of about %f ms, a quarter too long at most',
    (ms) => {
      const { traffic } = counting();
      for (let i = 0; i < 90; i++) traffic.add(200, ms);
      for (let i = 0; i < 10; i++) traffic.add(200, 20 * ms);
      const { p50Ms, p95Ms } = traffic.count(60_000);
      expect(p50Ms).toBeGreaterThanOrEqual(Math.min(1, ms));
      expect(p50Ms).toBeGreaterThanOrEqual(ms * 0.99);
      expect(p50Ms).toBeLessThanOrEqual(Math.max(1, ms * 1.26));
      expect(p95Ms).toBeGreaterThan(ms * 10);
    },
  );

  it('counts what says nothing by its duration, and has none where nothing was measured', () => {
    const { traffic } = counting();
    traffic.add(200, undefined);
    expect(traffic.count(60_000)).toMatchObject({ requests: 1, p50Ms: null, p95Ms: null, p99Ms: null });
  });

  it('counts a while, and keeps a day', () => {
    const { traffic, wait } = counting();
    const minutes = 1_500;
    for (let i = 0; i < minutes; i++) {
      traffic.add(200, 1);
      wait(60_000);
    }
    expect(traffic.count(60_000).requests).toBe(1);
    expect(traffic.count(600_000).requests).toBe(10);
    expect(traffic.count(86_400_000).requests).toBe(1_440);
    expect(traffic.count(2 * 86_400_000).requests).toBe(1_440);
  });
});
