import { describe, expect, it } from 'vitest';
import { SharedPull } from '../../src/pull/shared-pull.ts';

describe('SharedPull', () => {
  it('forgets those who leave, and settles for those who stay', async () => {
    const pull = new SharedPull();
    const staying = [pull.wait(), pull.wait(new AbortController().signal)];
    const leaving = Array.from({ length: 1_000 }, () => new AbortController());
    const left = leaving.map(({ signal }) => pull.wait(signal));
    expect(pull.waiting).toBe(1_002);
    for (const one of leaving) one.abort();
    const reasons = (await Promise.allSettled(left)).map(({ status }) => status);
    expect(new Set(reasons)).toEqual(new Set(['rejected']));
    expect(pull.waiting).toBe(2);
    pull.resolve();
    await Promise.all(staying);
    expect(pull.waiting).toBe(0);
  });

  it('fails for everybody at once', async () => {
    const pull = new SharedPull();
    const waiting = [pull.wait(), pull.wait(new AbortController().signal)];
    const error = new Error('no picture');
    pull.reject(error);
    for (const one of waiting) await expect(one).rejects.toBe(error);
    expect(pull.waiting).toBe(0);
  });
});
