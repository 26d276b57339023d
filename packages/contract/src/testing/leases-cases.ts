import assert from 'node:assert/strict';
import type { Leases } from '../stores/stores.ts';
import type { StoreCase } from './store-case.ts';

/** What every implementation of leases and ceilings does. */
export const leasesCases: readonly StoreCase<Leases>[] = [
  {
    name: 'gives a key to one holder at a time',
    async run(leases) {
      assert.ok(await leases.acquire('watch:door', 'a', 1_000, 0));
      assert.equal(await leases.acquire('watch:door', 'b', 1_000, 999), undefined);
      assert.ok(await leases.acquire('watch:yard', 'b', 1_000, 999));
    },
  },
  {
    name: 'lets the holder renew under the fence it has',
    async run(leases) {
      const first = await leases.acquire('watch:door', 'a', 1_000, 0);
      assert.deepEqual(await leases.acquire('watch:door', 'a', 1_000, 999), first);
      assert.equal(await leases.acquire('watch:door', 'b', 1_000, 1_998), undefined);
    },
  },
  {
    name: 'gives a lease that ran out to another, under a greater fence',
    async run(leases) {
      const first = await leases.acquire('watch:door', 'a', 1_000, 0);
      const second = await leases.acquire('watch:door', 'b', 1_000, 1_000);
      assert.ok(first && second && second.fence > first.fence);
      assert.equal(await leases.acquire('watch:door', 'a', 1_000, 1_001), undefined);
    },
  },
  {
    name: 'gives away a lease of before the clock was set back',
    async run(leases) {
      const dayMs = 86_400_000;
      const first = await leases.acquire('watch:door', 'a', 1_000, 2 * dayMs);
      // Clocks may be a minute apart.
      assert.equal(await leases.acquire('watch:door', 'b', 1_000, 2 * dayMs - 60_000), undefined);
      const second = await leases.acquire('watch:door', 'b', 1_000, dayMs);
      assert.ok(first && second && second.fence > first.fence);
      assert.equal(await leases.acquire('watch:door', 'a', 1_000, dayMs + 1), undefined);
    },
  },
  {
    name: 'counts uses of before the clock was set back for a window from now, and no longer',
    async run(leases) {
      const dayMs = 86_400_000;
      assert.equal(await leases.take('watch:door', 1, 1_000, 2 * dayMs), true);
      assert.equal(await leases.take('watch:door', 1, 1_000, dayMs), false);
      assert.equal(await leases.take('watch:door', 1, 1_000, dayMs + 999), false);
      assert.equal(await leases.take('watch:door', 1, 1_000, dayMs + 1_000), true);
    },
  },
  {
    name: 'gives a released lease to another at once, under a greater fence',
    async run(leases) {
      const first = await leases.acquire('watch:door', 'a', 1_000, 0);
      await leases.release('watch:door', 'a');
      const second = await leases.acquire('watch:door', 'b', 1_000, 1);
      assert.ok(first && second && second.fence > first.fence);
    },
  },
  {
    name: 'ignores a release by somebody who is not the holder',
    async run(leases) {
      await leases.acquire('watch:door', 'a', 1_000, 0);
      await leases.release('watch:door', 'b');
      await leases.release('watch:yard', 'b');
      assert.equal(await leases.acquire('watch:door', 'b', 1_000, 1), undefined);
    },
  },
  {
    name: 'counts uses up to the limit and refuses the next',
    async run(leases) {
      assert.equal(await leases.take('watch:door', 2, 1_000, 1), true);
      assert.equal(await leases.take('watch:door', 2, 1_000, 2), true);
      assert.equal(await leases.take('watch:door', 2, 1_000, 3), false);
      assert.equal(await leases.take('watch:yard', 2, 1_000, 4), true);
    },
  },
  {
    name: 'frees each use when it leaves the sliding window',
    async run(leases) {
      await leases.take('watch:door', 2, 1_000, 0);
      await leases.take('watch:door', 2, 1_000, 600);
      assert.equal(await leases.take('watch:door', 2, 1_000, 999), false);
      assert.equal(await leases.take('watch:door', 2, 1_000, 1_000), true);
      assert.equal(await leases.take('watch:door', 2, 1_000, 1_599), false);
      assert.equal(await leases.take('watch:door', 2, 1_000, 1_600), true);
    },
  },
  {
    name: 'does not count a use that was refused',
    async run(leases) {
      await leases.take('watch:door', 1, 1_000, 0);
      assert.equal(await leases.take('watch:door', 1, 1_000, 500), false);
      assert.equal(await leases.take('watch:door', 1, 1_000, 1_000), true);
    },
  },
  {
    name: 'allows nothing under a limit of 0',
    async run(leases) {
      assert.equal(await leases.take('watch:door', 0, 1_000, 0), false);
    },
  },
  {
    name: 'tells how many uses count, without counting as one',
    async run(leases) {
      assert.equal(await leases.used('watch:door', 1_000, 0), 0);
      await leases.take('watch:door', 2, 1_000, 0);
      await leases.take('watch:door', 2, 1_000, 600);
      await leases.take('watch:door', 2, 1_000, 601);
      await leases.take('watch:yard', 2, 1_000, 601);
      for (const nowMs of [601, 999]) assert.equal(await leases.used('watch:door', 1_000, nowMs), 2);
      assert.equal(await leases.used('watch:door', 1_000, 1_000), 1);
      assert.equal(await leases.used('watch:door', 300, 700), 1);
      assert.equal(await leases.used('watch:door', 1_000, 1_600), 0);
    },
  },
  {
    name: 'keeps leases and ceilings of one key apart',
    async run(leases) {
      assert.equal(await leases.take('watch:door', 1, 1_000, 0), true);
      assert.ok(await leases.acquire('watch:door', 'a', 1_000, 0));
      assert.equal(await leases.take('watch:door', 1, 1_000, 1), false);
    },
  },
];
