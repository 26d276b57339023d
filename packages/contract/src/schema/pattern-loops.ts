import type { PatternStates } from './pattern-states.ts';

/** States that can reach each other, and themselves. */
export function loopsOf({ follows }: Pick<PatternStates, 'follows'>): readonly (readonly number[])[] {
  const reached = reachedFrom(follows);
  const loops = new Map<number, number[]>();
  for (const [state, others] of reached.entries()) {
    if (!others.has(state)) continue;
    const least = [...others].reduce(
      (low, other) => (reached[other]?.has(state) && other < low ? other : low),
      state,
    );
    loops.set(least, [...(loops.get(least) ?? []), state]);
  }
  return [...loops.values()];
}

/** For each state those that are one step or more away. */
export function reachedFrom(follows: PatternStates['follows']): readonly ReadonlySet<number>[] {
  return follows.map((_, state) => closure([state], (from) => follows[from] ?? []));
}

/** Everything that is one step or more away. */
function closure(from: readonly number[], next: (node: number) => readonly number[]): ReadonlySet<number> {
  const found = new Set<number>();
  const waiting = [...from];
  const seen = new Set<number>(from);
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop())
    for (const to of next(node)) {
      found.add(to);
      if (seen.has(to)) continue;
      seen.add(to);
      waiting.push(to);
    }
  return found;
}
