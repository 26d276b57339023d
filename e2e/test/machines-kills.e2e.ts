/** Instances in folders of their own, whose state is in one libsql server: `machines.drill.ts` has more. */
import { byTier, verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playSeries } from './servers/series.ts';
import { findSqld } from './servers/sqld.ts';

const sqld = await findSqld();
const wanted = byTier({ quick: 3, slow: 3, drill: 4 });
/** Jobs under way. */
const atOnce = byTier({ quick: 7, slow: 7, drill: 14 });
/** For a machine that has much else to do; it takes half a minute. */
const timeoutMs = 240_000;

beforeAll(() => sqld?.start());
afterAll(() => sqld?.remove());

describe.skipIf(!sqld)('two instances on one libsql server, both and the server killed at any time', () => {
  it(
    'keep every promise',
    async () => {
      verifies('scale.machines.state');
      if (!sqld) return;
      const series = {
        kills: wanted,
        atOnce,
        servers: 2,
        seed: 29,
        sqld,
        sqldDownMs: 1_500,
        say: console.log,
      };
      const { faults, kills, outages, jobs, counts } = await playSeries(series);
      expect(faults).toEqual([]);
      expect(kills).toBe(wanted);
      console.log(`${kills} kills, ${outages} outages, ${jobs} jobs`, counts);
    },
    timeoutMs,
  );
});
