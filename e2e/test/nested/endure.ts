import assert from 'node:assert/strict';
import type { Approval } from '@waymark/contract/stores';
import type { Loaded } from '../kills/kill-series.ts';
import { expireAll, type Survived, say, survive } from '../kills/survive.ts';
import type { Engine } from '../runs/engine.ts';
import type { NestedShape } from './declare.ts';
import { checkLedger, checkPromises, checkSession } from './promises.ts';

/** What humans do, about the oldest question first or the newest; `expire` is nothing. */
export type Policy =
  | 'approve'
  | 'approve-last'
  | 'deny'
  | 'deny-last'
  | 'by turns'
  | 'yes-last, then no'
  | 'expire';

/** All of them. */
export const policies: readonly Policy[] = [
  ...(['approve', 'approve-last', 'deny', 'deny-last', 'by turns', 'yes-last, then no', 'expire'] as const),
];

/** Everything one simulation needs. */
export interface Scenario {
  readonly shape: NestedShape;
  readonly policy: Policy;
  /** At which of its points each engine dies; those after the last one live. */
  readonly deaths?: readonly number[];
  /** The use of a store that fails in the first engine; none. */
  readonly trouble?: number;
  /** Looks at a root whenever it waits. */
  readonly onWait?: (engine: Engine, loaded: Loaded) => void | Promise<void>;
}

/** Runs a nesting to its end, with a new engine on the same database for each one that dies, and checks what must hold. */
export function endure({ shape, policy, deaths = [], trouble, onWait }: Scenario): Promise<Survived> {
  const { together = 1, messages = 0 } = shape;
  const killed = deaths.length + (trouble === undefined ? 0 : 2);
  let decided = 0;
  return survive({
    ...{ shape, policy, deaths, trouble },
    async decide(engine, loaded, database) {
      await onWait?.(engine, loaded);
      if (policy === 'expire') return expireAll(engine, database);
      const { approvalId, approve } = decisionOf(loaded.approvals, policy, decided++);
      return say(engine, approvalId, approve);
    },
    async check(world, loaded, database) {
      await checkPromises(world, loaded, database);
      const cutOff = await checkLedger(world, [loaded], database);
      const isCompleted = loaded.runs[0]?.status === 'completed';
      await checkSession(isCompleted ? messages : 0, database);
      assert.ok(cutOff <= together * (killed + 1) - 1, `${cutOff} answers of models are lost`);
    },
  });
}

/** What somebody says to which question. */
export interface NextDecision {
  readonly approvalId: string;
  readonly approve: boolean;
}

/** @param nth decisions before it */
export function decisionOf(approvals: readonly Approval[], policy: Policy, nth: number): NextDecision {
  const pending = approvals
    .filter(({ status }) => status === 'pending')
    .toSorted((a, b) => a.requestedOrd - b.requestedOrd);
  const begins = policy === 'yes-last, then no' && nth === 0;
  const one = policy.endsWith('-last') || begins ? pending.at(-1) : pending[0];
  assert.ok(one, 'the run waits for nobody');
  const yes = policy === 'by turns' ? nth % 2 === 0 : policy.startsWith('approve');
  return { approvalId: one.approvalId, approve: yes || begins };
}
