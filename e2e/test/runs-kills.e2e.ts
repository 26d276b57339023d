/** Real processes on a real file, killed by the system in the middle of their work: `runs-kills.drill.ts` has more. */
import { byTier, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { killShape } from './runs/kill-shape.ts';
import { shapes } from './runs/shapes.ts';
import type { Policy } from './runs/simulate.ts';

const policies: readonly Policy[] = ['approve', 'approve-last', 'deny'];
/** Where the kills of a shape are in their shares of its points, by turns: among them are moments in the middle of an effect. */
const phases = [0.625, 0.875, 0.625, 0.625, 0.375, 0.45, 0.875];
const kills = byTier({ quick: 1, slow: 1, drill: 4 });
/** For a machine that has much else to do; it takes two seconds. */
const timeoutMs = 120_000;

describe('processes killed with SIGKILL, each taking up what the one before left', () => {
  it.concurrent.each(shapes.map(({ name }, shape) => ({ name, shape })))(
    'keep every promise: $name',
    async ({ shape }) => {
      verifies('run.survives');
      const policy = policies[shape % policies.length] ?? 'approve';
      const phase = phases[shape % phases.length] ?? 0.5;
      const { points, killed, runs } = await killShape({ shape, policy, kills, phase });
      expect(points).toBeGreaterThan(15);
      expect(killed).toBe(kills);
      expect(runs).toBeGreaterThan(1);
    },
    timeoutMs,
  );
});
