/** Servers that `waymark start` started, killed under clients, humans and models: `servers.drill.ts` has more. */
import { byTier, verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Outside, startOutside } from './servers/outside.ts';
import { playSeries, type Series } from './servers/series.ts';

/** Jobs under way. */
const atOnce = byTier({ quick: 7, slow: 7, drill: 14 });
/** Under load; promised is one second. */
const takenUpMs = 3_000;
/** For a machine that has much else to do; it takes half a minute. */
const timeoutMs = 240_000;

let outside: Outside;
beforeAll(async () => {
  outside = await startOutside();
});
afterAll(() => outside.close());

describe('servers killed with SIGKILL at any time', () => {
  const all: readonly (Series & { readonly name: string })[] = [
    {
      ...{
        name: 'one, which changes and is down for a while',
        kills: byTier({ quick: 3, slow: 3, drill: 4 }),
        servers: 1,
        seed: 17,
      },
      ...{ changes: true, downMs: 1_500, setsClocks: true },
    },
    {
      name: 'one of two',
      kills: byTier({ quick: 3, slow: 3, drill: 5 }),
      servers: 2,
      seed: 23,
      outageMs: 1_000,
      firstJob: 10_001,
    },
  ];

  it.concurrent.each(all)(
    'keep every promise: $name',
    async ({ name, ...series }) => {
      verifies('run.survives', 'run.takeover', 'run.ready');
      const { faults, kills, jobs, takeOvers, counts } = await playSeries({ ...series, outside, atOnce });
      expect(faults).toEqual([]);
      expect(kills).toBe(series.kills);
      // Of two nobody can say who died, and who goes on.
      if (series.servers === 1) expect(takeOvers).not.toEqual([]);
      const lastMs = takeOvers.map((one) => one.lastMs);
      for (const ms of lastMs) expect(ms).toBeLessThan(takenUpMs);
      const onAfter = lastMs.length > 0 ? `, on after ${Math.max(...lastMs).toFixed(0)} ms` : '';
      console.log(`${name}: ${kills} kills, ${jobs} jobs${onAfter}`, counts);
    },
    timeoutMs,
  );
});
