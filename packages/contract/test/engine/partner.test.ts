import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { Partner } from '../../src/engine/partner.ts';

/** A partner on a clock that is moved by hand. */
function stage(forgottenMs?: number) {
  let nowMs = 100_000;
  const partner = new Partner(() => nowMs, forgottenMs);
  const times = (count: number, what: () => void): void => {
    for (let i = 0; i < count; i++) what();
  };
  return {
    partner,
    /** Health is looked at every second. */
    pass(ms: number): void {
      for (const untilMs = nowMs + ms; nowMs < untilMs; ) {
        nowMs = Math.min(untilMs, nowMs + 1_000);
        void partner.failure;
      }
    },
    answered: (count: number) => times(count, () => partner.answered()),
    failed: (count: number) => times(count, () => partner.failed('answers 503')),
  };
}

describe('Partner', () => {
  it('fails from its first failure, and says for how long and why last', () => {
    verifies('health.outside');
    const { partner, pass, failed } = stage();
    expect(partner.failure).toBeUndefined();
    failed(1);
    expect(partner.failure).toEqual({ fault: 'answers 503', forMs: 0 });
    pass(12_000);
    partner.failed('refuses connections');
    expect(partner.failure).toEqual({ fault: 'refuses connections', forMs: 12_000 });
  });

  it('is well again three seconds after its last failure, once it has answered', () => {
    verifies('health.outside');
    const { partner, pass, failed, answered } = stage();
    failed(1);
    pass(1_000);
    answered(1);
    pass(1_999);
    expect(partner.failure).toMatchObject({ forMs: 2_999 });
    pass(1);
    expect(partner.failure).toBeUndefined();
    failed(1);
    expect(partner.failure).toMatchObject({ forMs: 0 });
  });

  it('fails on while some calls are answered and others are not', () => {
    const { partner, pass, failed, answered } = stage();
    for (let i = 0; i < 10; i++) {
      failed(1);
      answered(3);
      pass(2_000);
    }
    expect(partner.failure).toMatchObject({ forMs: 20_000 });
  });

  it.each([
    { answers: 8, isFailing: true },
    { answers: 9, isFailing: true },
    { answers: 10, isFailing: false },
  ])('one failure beside $answers answers is of note: $isFailing', ({ answers, isFailing }) => {
    verifies('health.outside.share');
    const { partner, failed, answered } = stage();
    answered(answers);
    failed(1);
    expect(partner.failure !== undefined).toBe(isFailing);
  });

  it('does not fail for one call among many, however long that goes on', () => {
    const { partner, pass, failed, answered } = stage();
    for (let i = 0; i < 120; i++) {
      answered(50);
      failed(1);
      expect(partner.failure).toBeUndefined();
      pass(500);
    }
  });

  it('forgets what was long ago: answers of a good hour do not outweigh an outage', () => {
    const { partner, pass, failed, answered } = stage();
    answered(1_000_000);
    failed(1);
    expect(partner.failure).toBeUndefined();
    answered(1);
    pass(5_000);
    failed(1);
    expect(partner.failure).toMatchObject({ forMs: 0 });
  });

  it.each([
    { count: 2, isFailing: false },
    { count: 3, isFailing: true },
    { count: 4, isFailing: true },
  ])('$count failures in a row behind many answers are of note: $isFailing', ({ count, isFailing }) => {
    const { partner, failed, answered } = stage();
    answered(10_000);
    failed(2);
    answered(1);
    failed(count);
    expect(partner.failure !== undefined).toBe(isFailing);
  });

  it.each([
    { forgottenMs: undefined, ms: 60_000 },
    { forgottenMs: 900_000, ms: 900_000 },
  ])('that nobody asks any more is forgotten after $ms ms', ({ forgottenMs, ms }) => {
    verifies('health.outside.forgotten');
    const { partner, pass, failed } = stage(forgottenMs);
    failed(1);
    pass(ms - 1);
    expect(partner.failure).toMatchObject({ forMs: ms - 1 });
    pass(1);
    expect(partner.failure).toBeUndefined();
  });

  it('answers again long after a failure without being told of once more', () => {
    const { partner, pass, failed, answered } = stage();
    failed(1);
    pass(59_000);
    answered(1);
    expect(partner.failure).toBeUndefined();
  });
});
