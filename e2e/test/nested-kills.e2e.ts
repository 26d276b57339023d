/** Real processes on a real file, killed by the system in the middle of nested runs: `nested-kills.drill.ts` has more. */
import { byTier, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import type { Policy } from './nested/endure.ts';
import { killNested } from './nested/kill-nested.ts';
import { nestedShapes } from './nested/shapes.ts';

const kills = byTier({ quick: 2, slow: 2, drill: 5 });
const chosen: readonly (readonly [name: string, policy: Policy])[] = [
  ['agent, flow, behaviour, agent, gate', 'approve'],
  ['depth 7', 'approve'],
  ['a parallel flow with two gates', 'approve-last'],
  ['a gather with gates and a failure', 'by turns'],
  ['a turn of plain, gated, plain, gated', 'deny-last'],
];
/** For a machine that has much else to do; it takes ten seconds. */
const timeoutMs = 180_000;

describe('processes killed with SIGKILL in nested runs, each taking up what the one before left', () => {
  it.concurrent.each(chosen)(
    'keep every promise: %s (%s)',
    async (name, policy) => {
      verifies('run.survives');
      const shape = nestedShapes.findIndex((one) => one.name === name);
      const { points, killed, roots } = await killNested({ shape, policy, kills });
      expect(points).toBeGreaterThan(30);
      expect(killed).toBe(kills);
      expect(roots).toBeGreaterThan(1);
    },
    timeoutMs,
  );
});
