import { reachedFrom } from './pattern-loops.ts';
import { toPatternStates } from './pattern-states.ts';

/** States that can reach each other. */
export type Loop = readonly number[];

/** The states of one alternative, those of a match left out: who gets there is done. */
export interface Ways {
  readonly reads: readonly bigint[];
  readonly follows: readonly (readonly number[])[];
  readonly reached: readonly ReadonlySet<number>[];
  readonly begins: readonly number[];
  readonly samples: readonly string[];
}

/** Larger expressions are not looked at. */
const maxStates = 100;

/** @returns undefined for what is too large, or never fails */
export function toWays(source: string): Ways | undefined {
  const states = toPatternStates(source);
  const { reads, samples } = states;
  if (reads.length > maxStates) return undefined;
  const toEnd = /(?:^|[^\\])(?:\\\\)*\$$/.test(source);
  if (!toEnd && states.nullable) return undefined;
  const done = new Set(toEnd ? [] : states.last);
  const going = (followers: readonly number[]): readonly number[] =>
    followers.filter((state) => !done.has(state));
  const begins = going(states.first);
  const follows = states.follows.map((followers, state) => (done.has(state) ? [] : going(followers)));
  if (source.startsWith('^'))
    return { ...{ reads, samples, begins, follows }, reached: reachedFrom(follows) };
  // It begins anywhere: whatever comes before is read by a state of its own.
  const anywhere = follows.length;
  const all = [...follows, [anywhere, ...begins]];
  const anything = (1n << BigInt(samples.length)) - 1n;
  return {
    ...{ reads: [...reads, anything], samples, begins: [anywhere, ...begins], follows: all },
    reached: reachedFrom(all),
  };
}

/** Whether one loop leads to another. */
export function reaches(from: Loop, to: Loop, { reached }: Ways): boolean {
  return reached[from[0] ?? -1]?.has(to[0] ?? -1) ?? false;
}

/** What is read on a way, the last character first. */
export interface Word {
  readonly bits: bigint;
  readonly before: Word | undefined;
}

/** A text that leads from a state of one loop back to it, from it to a state of the other, and from that back to itself. */
export function sharedWord(
  from: Loop,
  to: Loop,
  ways: Ways,
  budget: { left: number },
): { readonly state: number; readonly word: Word } | undefined {
  if (!reaches(from, to, ways)) return undefined;
  const loops = { from: new Set(from), to: new Set(to) };
  for (const state of from)
    for (const goal of to) {
      const word = wordFor(state, goal, loops, ways, budget);
      if (word) return { state, word };
    }
  return undefined;
}

interface Step {
  readonly states: readonly [stays: number, leaves: number, waits: number];
  readonly word: Word | undefined;
}

function wordFor(
  state: number,
  goal: number,
  loops: { readonly from: ReadonlySet<number>; readonly to: ReadonlySet<number> },
  { reads, reached, follows }: Ways,
  budget: { left: number },
): Word | undefined {
  const size = reads.length;
  const next = (at: number, may: (to: number) => boolean): readonly number[] =>
    (follows[at] ?? []).filter(may);
  const leads = (to: number): boolean => to === goal || (reached[to]?.has(goal) ?? false);
  const seen = new Set<number>();
  const waiting: Step[] = [{ states: [state, state, goal], word: undefined }];
  // It grows while it is read: the nearest first.
  for (const { states, word } of waiting)
    for (const stays of next(states[0], (to) => loops.from.has(to)))
      for (const leaves of next(states[1], leads))
        for (const waits of next(states[2], (to) => loops.to.has(to))) {
          const bits = (reads[stays] ?? 0n) & (reads[leaves] ?? 0n) & (reads[waits] ?? 0n);
          const key = (stays * size + leaves) * size + waits;
          if (bits === 0n || seen.has(key)) continue;
          if (budget.left-- <= 0) return undefined;
          const read: Word = { bits, before: word };
          if (stays === state && leaves === goal && waits === goal) return read;
          seen.add(key);
          waiting.push({ states: [stays, leaves, waits], word: read });
        }
  return undefined;
}

/** One of the texts that a word stands for. */
export function textOf(word: Word | undefined, ways: Ways): string {
  return word ? textOf(word.before, ways) + sampleOf(word.bits, ways) : '';
}

/** A short word that leads to a state, the character that the state reads included. */
export function wayTo(state: number, { begins, reads, follows }: Ways): Word | undefined {
  const seen = new Set(begins);
  const waiting = begins.map((at) => ({ at, word: { bits: reads[at] ?? 0n, before: undefined } as Word }));
  for (const { at, word } of waiting) {
    if (at === state) return word;
    for (const to of follows[at] ?? []) {
      if (seen.has(to)) continue;
      seen.add(to);
      waiting.push({ at: to, word: { bits: reads[to] ?? 0n, before: word } });
    }
  }
  return undefined;
}

/** One of the characters of a set: a letter, else what can be seen, else any. */
function sampleOf(bits: bigint, { samples }: Ways): string {
  const read = samples.filter((_, i) => (bits >> BigInt(i)) & 1n);
  return read.find((one) => /[a-z]/.test(one)) ?? read.find((one) => /[!-~]/.test(one)) ?? read[0] ?? '';
}
