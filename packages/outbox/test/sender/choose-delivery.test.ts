import type { DeliveryLine } from '@waymark/contract/stores';
import { describe, expect, it } from 'vitest';
import { chooseDelivery } from '../../src/sender/choose-delivery.ts';

const line: DeliveryLine = {
  ...{ endpoint: 'yard', waiting: 3, failed: 0, delivered: 0, dropped: 0 },
  ...{ failures: 0, pausedUntilMs: null, stopped: false },
  ...{ lastStatus: null, lastError: null, lastAtMs: 50 },
};
const choose = (changes: Partial<DeliveryLine>): string | undefined =>
  chooseDelivery({ ...line, ...changes }, 100)?.by;

describe('chooseDelivery', () => {
  it('takes what is due, while the endpoint is well', () => {
    expect(choose({})).toBe('due');
    expect(choose({ failures: 2, lastError: 'unreachable' })).toBe('due');
  });

  it('takes nothing where nothing waits, and nothing of an endpoint that is stopped', () => {
    expect(choose({ waiting: 0 })).toBeUndefined();
    expect(choose({ stopped: true })).toBeUndefined();
  });

  it('takes nothing in a pause, unless the clock was set back since it began', () => {
    expect(choose({ pausedUntilMs: 101 })).toBeUndefined();
    expect(choose({ pausedUntilMs: 100 })).toBe('due');
    expect(choose({ pausedUntilMs: 900, lastAtMs: 800 })).toBe('due');
  });

  it.each([
    [null, 'unreachable'],
    [null, 'address'],
    [null, 'secret'],
    [429, 'answer'],
    [502, 'answer'],
    [503, 'answer'],
    [504, 'answer'],
  ])('probes with the oldest while nobody answers for the endpoint: %s %s', (lastStatus, lastError) => {
    for (const failures of [3, 4, 5, 6]) expect(choose({ failures, lastStatus, lastError })).toBe('oldest');
  });

  it.each([
    [500, 'answer'],
    [400, 'answer'],
    [302, 'redirect'],
    [null, 'timeout'],
  ])('probes in turns where a message may be why: %s %s', (lastStatus, lastError) => {
    expect([3, 4, 5, 6].map((failures) => choose({ failures, lastStatus, lastError }))).toEqual([
      'oldest',
      'least-tried',
      'oldest',
      'least-tried',
    ]);
  });
});
