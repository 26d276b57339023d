/** A stretch of time; `untilMs` is not before `fromMs`. */
export interface Stretch {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Where moments stand on an axis from 0 to 1. */
export interface TimeScale {
  at(ms: number): number;
  /** Stretches that take less room than their time: nothing happened in them. */
  readonly folded: readonly Stretch[];
}

/** What a fold takes of the axis. */
const foldShare = 0.06;
/** A silence is folded when it is that many times longer than all work. */
const foldedFrom = 0.5;
const shortestFoldMs = 2_000;

/**
 * Lays out a run. Minutes of work beside a night of waiting for somebody would be a hair: long silences are folded.
 *
 * @param whole from its begin to its end
 * @param busy when something was done, in any order
 */
export function createTimeScale(whole: Stretch, busy: readonly Stretch[]): TimeScale {
  const gaps = gapsOf(whole, busy);
  const span = Math.max(1, whole.untilMs - whole.fromMs);
  const idleMs = gaps.reduce((sum, gap) => sum + lengthOf(gap), 0);
  const workMs = Math.max(1, span - idleMs);
  const folded = gaps.filter((gap) => lengthOf(gap) > Math.max(shortestFoldMs, workMs * foldedFrom));
  const foldedMs = folded.reduce((sum, gap) => sum + lengthOf(gap), 0);
  const openMs = Math.max(1, span - foldedMs);
  const openShare = 1 - Math.min(0.6, folded.length * foldShare);
  const eachFold = folded.length === 0 ? 0 : (1 - openShare) / folded.length;
  return {
    folded,
    at: (ms) => {
      const bounded = Math.min(Math.max(ms, whole.fromMs), whole.untilMs);
      let open = bounded - whole.fromMs;
      let share = 0;
      for (const gap of folded) {
        const inside = Math.min(Math.max(bounded - gap.fromMs, 0), lengthOf(gap));
        open -= inside;
        share += eachFold * (inside / lengthOf(gap));
      }
      return share + (open / openMs) * openShare;
    },
  };
}

function gapsOf({ fromMs, untilMs }: Stretch, busy: readonly Stretch[]): readonly Stretch[] {
  const gaps: Stretch[] = [];
  let reached = fromMs;
  for (const one of [...busy].sort((a, b) => a.fromMs - b.fromMs)) {
    if (one.fromMs > reached) gaps.push({ fromMs: reached, untilMs: Math.min(one.fromMs, untilMs) });
    reached = Math.max(reached, one.untilMs);
  }
  if (reached < untilMs) gaps.push({ fromMs: reached, untilMs });
  return gaps.filter((gap) => lengthOf(gap) > 0);
}

function lengthOf({ fromMs, untilMs }: Stretch): number {
  return untilMs - fromMs;
}
