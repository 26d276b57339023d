import type { FrameState, OpState } from './state.ts';

/**
 * What can happen before a human decides, or something outside passes: `works`, something; `waits`, nothing; `left`, nothing,
 * and there is more to do for the next process.
 */
export type Standing = 'works' | 'waits' | 'left';

/** Of a run. One whose code waits for no step works: it may ask for one. */
export function standingOf({ ops, phase }: FrameState): Standing {
  let standing: Standing | undefined;
  let isKept = phase !== 'closed';
  for (const op of ops) {
    const one = standingOfOp(op);
    if (one === 'works') return one;
    if (one === 'left') standing = one;
    else standing ??= one;
    isKept ||= one === 'left' && op.acts;
  }
  // One whose code has ended ends, unless somebody has still to act for it.
  return isKept ? (standing ?? 'works') : 'works';
}

/** Whether nothing is under way in it that has to be recorded. */
export function isQuiet({ ops }: FrameState): boolean {
  for (const op of ops) if (op.acts && standingOfOp(op) !== 'waits') return false;
  return true;
}

function standingOfOp({ phase, child }: OpState): Standing {
  if (phase === 'held') return 'waits';
  if (phase === 'nested' && child) return standingOf(child);
  return phase === 'left' ? 'left' : 'works';
}
