import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type AttemptFacts, afterAttempt } from '../../src/sender/after-attempt.ts';

const hourMs = 3_600_000;
const now = 100 * 24 * hourMs;
const middle = (): number => 0.5;
const failure = { status: 500, error: 'answer' } as const;

function decide(facts: Partial<AttemptFacts> = {}): ReturnType<typeof afterAttempt> {
  return afterAttempt({
    delivery: { attempts: 0, sinceMs: now },
    line: { failures: 0 },
    result: failure,
    nowMs: now,
    giveUpSinceMs: now - 24 * hourMs,
    random: middle,
    ...facts,
  });
}

/** Pauses between the attempts of a message that never arrives, in seconds, with the last state. */
function life(random: () => number): { readonly pauses: readonly number[]; readonly state: string } {
  const pauses: number[] = [];
  let nowMs = now;
  for (let attempts = 0; ; attempts++) {
    const { attempt } = decide({
      ...{ delivery: { attempts, sinceMs: now }, nowMs, random },
      giveUpSinceMs: nowMs - 24 * hourMs,
    });
    if (attempt.state !== 'waiting') return { pauses, state: attempt.state };
    pauses.push((attempt.dueMs - nowMs) / 1000);
    nowMs = attempt.dueMs;
  }
}

describe('afterAttempt', () => {
  it('settles what arrived', () => {
    expect(decide({ result: { status: 204, error: null } })).toEqual({
      attempt: { state: 'delivered', atMs: now, dueMs: now, status: 204, error: null },
      condition: { failures: 0, pausedUntilMs: null, stopped: false },
      others: 'as-they-are',
    });
  });

  it('waits for 5 s first, three times as long each time, for 6 h at most, and gives up after 24 h', () => {
    verifies('webhook.outbox');
    const { pauses, state } = life(middle);
    expect(pauses.slice(0, 11)).toEqual([5, 15, 45, 135, 405, 1215, 3645, 10_935, 21_600, 21_600, 21_600]);
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBe(24 * 3_600);
    expect(state).toBe('failed');
  });

  it.each([0, 0.999_999])('strays by a fifth at most: %f', (random) => {
    const { pauses } = life(() => random);
    const factor = random === 0 ? 0.8 : 1.2;
    expect(pauses.slice(0, 8)).toEqual(
      [5, 15, 45, 135, 405, 1215, 3645, 10_935].map((pause) => expect.closeTo(pause * factor, 0) as number),
    );
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeCloseTo(24 * 3_600, 0);
  });

  it('waits for as long as the receiver wants, if that is longer', () => {
    const result = { status: 429, error: 'answer', retryAfterMs: 60_000 } as const;
    const { attempt, condition } = decide({ result });
    expect(attempt.dueMs - now).toBe(60_000);
    expect(condition.pausedUntilMs).toBe(now + 60_000);
    expect(decide({ result: { ...result, retryAfterMs: 1_000 } }).attempt.dueMs - now).toBe(5_000);
  });

  it('counts deliveries that fail for the first time, not one that fails again', () => {
    expect(decide().condition).toEqual({ failures: 1, pausedUntilMs: null, stopped: false });
    expect(decide({ delivery: { attempts: 4, sinceMs: now }, line: { failures: 1 } }).condition).toEqual({
      failures: 1,
      pausedUntilMs: null,
      stopped: false,
    });
  });

  it('pauses an endpoint in trouble, with every probe for longer, up to ten minutes', () => {
    const pauses = [2, 3, 4, 5, 6, 7, 8, 30].map((failures) => {
      const delivery = { attempts: failures === 2 ? 0 : 9, sinceMs: now };
      const { condition } = decide({ delivery, line: { failures } });
      expect(condition.failures).toBe(failures + 1);
      return ((condition.pausedUntilMs ?? now) - now) / 1000;
    });
    expect(pauses).toEqual([5, 15, 45, 135, 405, 600, 600, 600]);
  });

  it('gives up, behind a probe that failed, what is too old', () => {
    expect(decide({ line: { failures: 2 } }).others).toBe('give-up-old');
    expect(decide({ line: { failures: 1 } }).others).toBe('as-they-are');
  });

  it('makes due what could not be reached once something arrives again', () => {
    expect(decide({ line: { failures: 1 }, result: { status: 200, error: null } }).others).toBe('release');
  });

  it('tries everything once, however old it is', () => {
    const delivery = { attempts: 0, sinceMs: now - 48 * hourMs };
    expect(decide({ delivery, result: { status: 200, error: null } }).attempt.state).toBe('delivered');
    expect(decide({ delivery }).attempt.state).toBe('failed');
  });

  it('stops an endpoint that is gone', () => {
    expect(decide({ result: { status: 410, error: 'gone' } })).toEqual({
      attempt: { state: 'failed', atMs: now, dueMs: now, status: 410, error: 'gone' },
      condition: { failures: 1, pausedUntilMs: null, stopped: true },
      others: 'give-up-all',
    });
  });
});
