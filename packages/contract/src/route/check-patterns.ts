import type { Fault, RuleBook } from '../declaring/rule-book.ts';
import { maxPatternLength } from '../schema/bound-texts.ts';
import { mayRunAway } from '../schema/check-pattern.ts';
import { mostLoops, patternCost } from '../schema/pattern-cost.ts';
import { isSchemaObject, type SchemaObject } from '../schema/references.ts';
import { whyNoPattern } from '../schema/why-no-pattern.ts';
import { defaultMaxBodyBytes } from './to-route.ts';

/** What is odd about patterns that are matched with what callers send. */
export const patternRules = {
  'pattern-runs-away': 'A pattern reads each text in one way only, so that no text takes for ever.',
  'pattern-slow': 'A pattern that takes more than its time for a long text has a text that is short.',
} as const satisfies RuleBook;

type PatternOddity = Fault<keyof typeof patternRules>;

/** Finds patterns of one schema that take too long. */
export function patternOddities(node: SchemaObject, title: () => string): readonly PatternOddity[] {
  // Libraries write the pattern of a format beside it, which nobody who declares a route can change.
  if (node['format'] !== undefined) return [];
  const { pattern, patternProperties, propertyNames } = node;
  const named = isSchemaObject(patternProperties) ? Object.keys(patternProperties) : [];
  const most = (holder: unknown): unknown => (isSchemaObject(holder) ? holder['maxLength'] : undefined);
  return [
    ...(typeof pattern === 'string' ? oddity(pattern, most(node), title) : []),
    ...named.flatMap((source) => oddity(source, most(propertyNames), title)),
  ];
}

function oddity(source: string, maxLength: unknown, title: () => string): readonly PatternOddity[] {
  if (whyNoPattern(source) !== undefined) return [];
  if (mayRunAway(source))
    return [
      {
        code: 'pattern-runs-away',
        severity: 'warning',
        rule: `${title()}: the pattern "${source}" can read one text in many ways, and a bad text takes for ever`,
        fix: 'let what repeats inside of a repetition begin with something of its own',
      },
    ];
  // What is declared without a length has one that is short enough, but for bytes in text.
  const length = typeof maxLength === 'number' ? maxLength : defaultMaxBodyBytes;
  if (stepsOf(mostLoops(source), length) <= mostSteps) return [];
  const { exponent, begin, part } = patternCost(source);
  if (stepsOf(exponent, length) <= mostSteps) return [];
  const shown = `${JSON.stringify(begin)} and many times ${JSON.stringify(part)}`;
  return [
    {
      code: 'pattern-slow',
      severity: 'warning',
      rule: `${title()}: the pattern "${source}" takes the power ${exponent} of the length of a text such as ${shown}, which may have ${length} characters`,
      fix: `write maxLength: ${longestFor(exponent)}, or let no two loops in a row read the same`,
    },
  ];
}

/** Steps of a matcher: some 50 ms. */
const mostSteps = 10_000_000;

/** Each loop may end at any place behind the one before. */
function stepsOf(exponent: number, length: number): number {
  let steps = 1;
  for (let i = 1; i <= exponent; i++) steps *= length / i;
  return steps;
}

function longestFor(exponent: number): number {
  let length = maxPatternLength;
  while (stepsOf(exponent, length) > mostSteps) length /= 2;
  return length;
}
