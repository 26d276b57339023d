import { byTier, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { endureProgram } from './nested/endure-program.ts';
import { randoms } from './runs/sample.ts';

/** `nested-programs.drill.ts` has a thousand. */
const perSeed = byTier({ quick: 2, slow: 3, drill: 10 });

describe('random behaviours with runs of all kinds below them, whose process dies twice or more', () => {
  it.each(Array.from({ length: 6 }, (_, seed) => seed))('are given the same: seed %i', async (seed) => {
    verifies('run.survives', 'behaviour.ctx.promises', 'behaviour.ctx.run-child');
    const random = randoms(300 + seed + Number(process.env['RUNS_SEED'] ?? 0));
    for (let nth = 0; nth < perSeed; nth++) {
      const { steps } = await endureProgram(random, nth, 6);
      expect(steps).toBeGreaterThanOrEqual(0);
    }
  });
});
