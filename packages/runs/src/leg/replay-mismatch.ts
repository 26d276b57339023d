import type { OpRecord } from '@waymark/contract/stores';
import type { RunTree } from '../journal/run-tree.ts';
import type { Op, OpFrame } from './op.ts';

/** A run asked for something else than what its journal holds: its root ends before anything executes. */
export function differs({ runId, seq, row, spec }: Op): string {
  return toText(runId, seq, row ? describe(row) : 'nothing', describe(spec));
}

/** A run came to its end without asking for all that its journal holds. */
export function forgot(tree: RunTree, { runId, nextSeq }: OpFrame): string {
  for (const row of tree.opsOf(runId))
    if (row.seq >= nextSeq) return toText(runId, row.seq, describe(row), 'the end of the run');
  return toText(runId, nextSeq, 'more', 'the end of the run');
}

function toText(runId: string, seq: number, recorded: string, asked: string): string {
  return `run ${runId} differs from its journal at step ${seq}: recorded ${recorded}, asked ${asked}`;
}

/** A step in the words of such an error. */
function describe({ kind, name, input }: Pick<OpRecord, 'kind' | 'name' | 'input'>): string {
  return `${kind} ${name} ${JSON.stringify(input).slice(0, 200)}`;
}
