import { byTier } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { randomProgram, toShape } from './runs/programs.ts';
import { randoms } from './runs/sample.ts';
import { type Policy, simulate } from './runs/simulate.ts';

const policies: readonly Policy[] = ['approve', 'deny', 'approve-last', 'expire'];

const perSeed = byTier({ quick: 2, slow: 3, drill: 10 });

describe('random behaviours whose process dies twice', () => {
  it.each(Array.from({ length: 10 }, (_, seed) => seed))(
    'replay without a mismatch: seed %i',
    async (seed) => {
      const random = randoms(seed + Number(process.env['RUNS_SEED'] ?? 0));
      for (let i = 0; i < perSeed; i++) {
        const program = randomProgram(random, 4 + Math.floor(random() * 20));
        const shape = toShape(JSON.stringify(program), program);
        const policy = policies[i % policies.length] ?? 'approve';
        const { points } = await simulate({ shape, policy, deaths: [] });
        const deaths = [0, 0].map(() => 1 + Math.floor(random() * points));
        const { status } = await simulate({ shape, policy, deaths });
        expect(['completed', 'failed']).toContain(status);
      }
    },
  );
});
