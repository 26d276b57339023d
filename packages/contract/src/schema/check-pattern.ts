import { loopsOf } from './pattern-loops.ts';
import { type PatternStates, toPatternStates } from './pattern-states.ts';

/** Larger expressions are not looked at, or not to the end: this is done at each start. */
const maxLength = 1_000;
const maxStates = 100;
const maxPairs = 2_000;

/**
 * Says whether matching a regular expression may take time that doubles with every character: whether a loop in it can
 * read the same text in two ways, as in `(a+)+` and `(a|a)*` (Weber and Seidl's criterion). Loops that merely follow
 * each other are not meant, they are slow and no more.
 *
 * @param source one that `new RegExp(source, 'u')` takes
 */
export function mayRunAway(source: string): boolean {
  // Without a loop around a group there is nothing to find, and most patterns have none.
  if (source.length > maxLength || !/\)[*+{]/.test(source)) return false;
  const states = toPatternStates(source);
  if (states.reads.length > maxStates) return false;
  return loopsOf(states).some((loop) => readsTwice(loop, states));
}

/** Whether two different ways through a loop begin together, read the same, and come together again. */
function readsTwice(loop: readonly number[], { reads, follows }: PatternStates): boolean {
  const inLoop = new Set(loop);
  const size = reads.length;
  const next = (state: number): readonly number[] => (follows[state] ?? []).filter((to) => inLoop.has(to));
  const isApart = (pair: number): boolean => Math.floor(pair / size) !== pair % size;
  const pairsAfter = (pair: number): readonly number[] =>
    next(Math.floor(pair / size)).flatMap((one) =>
      next(pair % size)
        .filter((other) => ((reads[one] ?? 0n) & (reads[other] ?? 0n)) !== 0n)
        .map((other) => one * size + other),
    );
  if (loop.some((state) => new Set(next(state)).size < next(state).length)) return true;
  const seen = new Set<number>();
  const waiting = loop.flatMap((state) => pairsAfter(state * size + state)).filter(isApart);
  for (let pair = waiting.pop(); pair !== undefined && seen.size < maxPairs; pair = waiting.pop()) {
    if (seen.has(pair)) continue;
    seen.add(pair);
    const pairs = pairsAfter(pair);
    if (!pairs.every(isApart)) return true;
    waiting.push(...pairs);
  }
  return false;
}
