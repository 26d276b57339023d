/** Deaths at every point of every shape, pairs of them, and a thousand behaviours that nobody wrote. */
import { describe, expect, it } from 'vitest';
import { randomProgram, toShape } from '../test/runs/programs.ts';
import { randoms } from '../test/runs/sample.ts';
import { shapes } from '../test/runs/shapes.ts';
import { type Policy, simulate } from '../test/runs/simulate.ts';

const policies: readonly Policy[] = ['approve', 'approve-last', 'deny', 'expire'];
const pairs = 100;
const programs = 1_000;

describe.each(shapes)('a process that dies during: $name', (shape) => {
  it.each(policies)('once, at every point (%s)', async (policy) => {
    const { points } = await simulate({ shape, policy, deaths: [] });
    for (let at = 1; at <= points; at++) await simulate({ shape, policy, deaths: [at] });
  });

  it.each(policies)('twice (%s)', async (policy) => {
    const random = randoms(seedOf(policy));
    const first = await simulate({ shape, policy, deaths: [] });
    for (let i = 0; i < pairs; i++) {
      const deaths = [0, 0].map(() => 1 + Math.floor(random() * first.points));
      await simulate({ shape, policy, deaths });
    }
  });
});

describe('random behaviours', () => {
  it('replay without a mismatch after two deaths each', async () => {
    const random = randoms(41);
    for (let i = 0; i < programs; i++) {
      const program = randomProgram(random, 4 + Math.floor(random() * 24));
      const shape = toShape(JSON.stringify(program), program);
      const policy = policies[i % policies.length] ?? 'approve';
      const { points } = await simulate({ shape, policy, deaths: [] });
      const deaths = [0, 0].map(() => 1 + Math.floor(random() * points));
      const { status } = await simulate({ shape, policy, deaths });
      expect(['completed', 'failed']).toContain(status);
    }
  });
});

/** A seed of its own for each. */
function seedOf(policy: Policy): number {
  return 100 + policies.indexOf(policy);
}
