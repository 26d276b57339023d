import type { Json } from '@waymark/contract';
import { toWireWaiting } from '@waymark/contract/runs';
import type { RunTree } from '../journal/run-tree.ts';
import { waitingStatusOf } from './report.ts';

/** Tells whoever follows a root what it waits for (event `waiting`); undefined: it does not. */
export function toWaiting(tree: RunTree | undefined): Json | undefined {
  if (tree?.root.status !== 'waiting') return undefined;
  const { rootId, pending: approvals, waits } = tree;
  const status = waitingStatusOf(tree);
  return { run_id: rootId, status, ...toWireWaiting({ status, approvals, waits }) };
}
