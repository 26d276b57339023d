import { byTier } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { randomBehaviour, toBehaviourShape } from './behaviour-programs.ts';
import { randoms } from './runs/sample.ts';
import { type Policy, simulate } from './runs/simulate.ts';

const policies: readonly Policy[] = ['approve', 'deny', 'approve-last', 'expire'];

/** Every fifth runs out of steps. */
const perSeed = byTier({ quick: 1, slow: 2, drill: 20 });

describe('many random behaviours whose process dies twice', () => {
  it.each(Array.from({ length: 10 }, (_, seed) => seed))(
    'are given the same: seed %i',
    async (seed) => {
      const random = randoms(1_000 + seed + Number(process.env['RUNS_SEED'] ?? 0));
      for (let i = 0; i < perSeed; i++) {
        // Some of them run out of steps.
        const maxSteps = i % 5 === 4 ? 6 : 60;
        const shape = toBehaviourShape(randomBehaviour(random, 3 + Math.floor(random() * 20)), maxSteps);
        const policy = policies[i % policies.length] ?? 'approve';
        const { points } = await simulate({ shape, policy, deaths: [] });
        const deaths = [0, 0].map(() => 1 + Math.floor(random() * points));
        const { status } = await simulate({ shape, policy, deaths });
        expect(['completed', 'failed', 'halted', 'step_limit']).toContain(status);
      }
    },
    120_000,
  );
});
