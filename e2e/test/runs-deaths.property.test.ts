import { byTier, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { once } from './runs/once.ts';
import { randoms } from './runs/sample.ts';
import { shapes } from './runs/shapes.ts';
import { type Policy, simulate } from './runs/simulate.ts';

const policies: readonly Policy[] = ['approve', 'approve-last', 'deny', 'expire'];

/** One point in thirty-six in CI, others for each shape; `runs.drill.ts` takes them all. */
const stride = byTier({ quick: 48, slow: 36, drill: 6 });

describe.each(shapes.map((shape, i) => ({ shape, name: shape.name, first: 1 + (i % stride) })))(
  'a process that dies during: $name',
  ({ shape, first }) => {
    const undisturbed = once((policy: Policy) => simulate({ shape, policy, deaths: [] }));

    it.each(policies)('no death: the run comes to its end (%s)', async (policy) => {
      const { status, engines } = await undisturbed(policy);
      expect(['completed', 'failed']).toContain(status);
      if (policy !== 'expire') expect(engines).toBe(1);
    });

    it('one death, while humans say yes', async () => {
      verifies('run.survives', 'audit.not-batched', 'ledger.row');
      const { points } = await undisturbed('approve');
      expect(points).toBeGreaterThan(20);
      for (let at = first; at <= points; at += stride) {
        const { engines } = await simulate({ shape, policy: 'approve', deaths: [at] });
        expect(engines).toBe(2);
      }
    });

    it('one death, while humans say no, or nothing', async () => {
      for (const policy of ['deny', 'expire'] as const) {
        const { points } = await undisturbed(policy);
        for (let at = first; at <= points; at += 3 * stride) await simulate({ shape, policy, deaths: [at] });
      }
    });

    it('a store that is out of reach for a moment', async () => {
      const { uses } = await undisturbed('approve');
      for (let at = first; at <= uses; at += 3 * stride)
        await simulate({ shape, policy: 'approve', deaths: [], trouble: at });
    });

    it('two deaths, at points drawn by a fixed seed', async () => {
      const random = randoms(7);
      const { points } = await undisturbed('approve');
      for (const policy of policies) {
        const deaths = [1 + Math.floor(random() * points), 1 + Math.floor(random() * points)];
        await simulate({ shape, policy, deaths });
      }
    });
  },
);
