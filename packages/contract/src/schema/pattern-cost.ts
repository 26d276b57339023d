import { loopsOf } from './pattern-loops.ts';
import { type Loop, reaches, sharedWord, textOf, toWays, wayTo } from './pattern-ways.ts';

/** How the time of a pattern that does not match grows with the text. */
export interface PatternCost {
  /** 1: in proportion to its length; 2: to its square, and so on. */
  readonly exponent: number;
  /** A text that shows it, where the exponent is more than 1: how it begins, and what comes again and again. */
  readonly begin: string;
  readonly part: string;
}

const linear: PatternCost = { exponent: 1, begin: '', part: '' };

/** Larger expressions are not looked at, or not to the end: this is done at each start. */
const maxLength = 1_000;
const maxTriples = 5_000;

/**
 * Finds loops of a regular expression that follow each other and can share one text between them in many ways, as in
 * `^\S+@\S+\.\S+$`, where each dot may belong to the second or to the third (Weber and Seidl's criterion IDA). An expression
 * that may begin anywhere has a loop before it. What is too large is said to be linear.
 *
 * @param source one that `new RegExp(source, 'u')` takes, and that does not run away (`mayRunAway`)
 */
export function patternCost(source: string): PatternCost {
  if (source.length > maxLength) return linear;
  // Each alternative is tried by itself.
  return alternativesOf(source)
    .map(costOf)
    .reduce((worst, one) => (one.exponent > worst.exponent ? one : worst), linear);
}

/** A bound for the exponent that takes no time: the number of loops. */
export function mostLoops(source: string): number {
  return (source.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0) + 1;
}

function alternativesOf(source: string): readonly string[] {
  const alternatives = [''];
  let depth = 0;
  for (const [piece] of source.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|./gsu)) {
    if (piece === '(') depth++;
    else if (piece === ')') depth--;
    if (piece === '|' && depth === 0) alternatives.push('');
    else alternatives.push(alternatives.pop() + piece);
  }
  return alternatives;
}

function costOf(source: string): PatternCost {
  const ways = toWays(source);
  if (!ways) return linear;
  const loops = loopsOf(ways);
  const budget = { left: maxTriples };
  const pairs = loops.flatMap((from) =>
    loops.flatMap((to) => {
      const shared = from === to ? undefined : sharedWord(from, to, ways, budget);
      return shared ? [{ from, to, ...shared }] : [];
    }),
  );
  // The longest row of pairs, each of which can come after the one before. Loops do not lead back to each other.
  const lengths = new Map<Loop, number>();
  const lengthFrom = (loop: Loop): number => {
    const known = lengths.get(loop);
    if (known !== undefined) return known;
    const own = pairs.filter(({ from }) => from === loop).map(({ to }) => 1 + lengthAfter(to));
    const length = Math.max(0, ...own);
    lengths.set(loop, length);
    return length;
  };
  const lengthAfter = (loop: Loop): number =>
    Math.max(0, ...loops.filter((one) => one === loop || reaches(loop, one, ways)).map(lengthFrom));
  const longest = Math.max(0, ...loops.map(lengthFrom));
  const worst = pairs.find(({ from }) => lengthFrom(from) === longest);
  if (!worst) return linear;
  const begin = textOf(wayTo(worst.state, ways), ways);
  return { exponent: longest + 1, begin, part: textOf(worst.word, ways) };
}
