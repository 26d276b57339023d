import { mapSchemas, maxPatternLength, type SchemaObject } from '@waymark/contract/schema';
import { Format } from 'typebox/format';
import { Errors } from 'typebox/schema';

type Explanation = ReturnType<typeof Errors>[1];

/** Says what is wrong with a value. */
export type Explain = (value: unknown) => Explanation;

/**
 * Explains by a schema. Unlike a check, an explanation tries every keyword, whatever another has found: so a pattern is
 * not tried on a text that is too long for it, nor after the texts that failed theirs came to as many characters as one of
 * them may have.
 */
export function createExplain(schema: object): Explain {
  let spent = 0;
  const holds: Holds = (test, text) => {
    if (spent >= maxPatternLength || test(text)) return true;
    spent += text.length;
    return false;
  };
  let explained: object | undefined;
  return (value) => {
    explained ??= mapSchemas(schema as SchemaObject, (node) => withTrials(node, holds));
    spent = 0;
    return Errors(explained, value)[1];
  };
}

type Holds = (test: (text: string) => boolean, text: string) => boolean;

/** Pattern and format as refinements: the one keyword of a validator that is a function of ours. */
function withTrials(node: SchemaObject, holds: Holds): SchemaObject {
  const { pattern, format, maxLength, ...rest } = node;
  if (typeof maxLength !== 'number' || (typeof pattern !== 'string' && typeof format !== 'string'))
    return node;
  const expression = typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined;
  const trials = [
    ...(typeof format === 'string'
      ? [{ test: (text: string) => Format.Test(format, text), words: `must match format "${format}"` }]
      : []),
    ...(expression
      ? [{ test: (text: string) => expression.test(text), words: `must match pattern "${String(pattern)}"` }]
      : []),
  ];
  return {
    ...rest,
    maxLength,
    '~refine': [
      ...((node['~refine'] ?? []) as readonly unknown[]),
      ...trials.map(({ test, words }) => ({
        check: (value: unknown) =>
          typeof value !== 'string' || isLonger(value, maxLength) || holds(test, value),
        error: () => words,
      })),
    ],
  };
}

/** Whether a text has more characters, as schemas count them, than so many. */
function isLonger(text: string, most: number): boolean {
  return text.length > 2 * most || (text.length > most && Array.from(text).length > most);
}
