import { describe, expect, it } from 'vitest';
import { SharedWork } from '../../src/told/shared-work.ts';

describe('SharedWork', () => {
  it('does once what several ask for at the same time, and again for who comes later', async () => {
    const shared = new SharedWork<number>();
    let done = 0;
    const work = async (): Promise<number> => ++done;
    const both = [shared.of('a', work), shared.of('a', work)];
    const other = shared.of('b', work);
    expect(await Promise.all([...both, other])).toEqual([1, 1, 2]);
    expect(await shared.of('a', work)).toBe(3);
  });

  it('gives a failure to all who waited, and tries again afterwards', async () => {
    const shared = new SharedWork<number>();
    const fails = (): Promise<number> => Promise.reject(new Error('no'));
    const both = await Promise.allSettled([shared.of('a', fails), shared.of('a', fails)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await shared.of('a', async () => 1)).toBe(1);
  });
});
