import { describe, expect, it } from 'vitest';
import { memoryLeases } from '../../src/memory/index.ts';
import { leasesCases } from '../../src/testing/index.ts';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

describe('memoryLeases', () => {
  it.each(leasesCases)('$name', async ({ run }) => {
    await expect(run(memoryLeases())).resolves.toBeUndefined();
  });

  it('never gives away a lease in use, however many keys there are', async () => {
    const leases = memoryLeases();
    for (const n of numbers(3_000)) await leases.acquire(`k${n}`, 'a', 1_000, 0);
    for (const n of numbers(3_000)) expect(await leases.acquire(`k${n}`, 'b', 1_000, 999)).toBeUndefined();
  });

  it('never forgets a use that still counts, however many keys there are', async () => {
    const leases = memoryLeases();
    for (const n of numbers(3_000)) await leases.take(`k${n}`, 1, 1_000, 0);
    for (const n of numbers(3_000)) expect(await leases.take(`k${n}`, 1, 1_000, 999)).toBe(false);
  });

  it('gives growing fences also after it dropped keys whose time is over', async () => {
    const leases = memoryLeases();
    const first = await leases.acquire('watch:door', 'a', 1, 0);
    for (const n of numbers(3_000)) await leases.acquire(`k${n}`, 'a', 1, n + 1);
    const second = await leases.acquire('watch:door', 'a', 1, 5_000);
    expect(second?.fence).toBeGreaterThan((first?.fence ?? 0) + 3_000);
  });
});
