import { checkOptions, type Shapes } from '@waymark/contract/declaring';
import { answerRanges } from '../behaviour/check-behaviour.ts';
import { checkRanges } from '../check/check-ranges.ts';

/**
 * Refuses a name that no journal can hold: a program without types may pass anything.
 *
 * @throws {TypeError}
 */
export function requireName(what: 'tool' | 'context' | 'model', name: unknown): void {
  if (typeof name === 'string' && name.isWellFormed() && !name.includes('\0')) return;
  throw new TypeError(`the name of a ${what} is a text`);
}

/**
 * Refuses what is no way to put a question.
 *
 * @param more options that it has besides
 * @throws {TypeError}
 */
export function requireQuestion(options: unknown, more: Shapes = {}): void {
  requireOptions(options, { ...askShapes, ...more });
  // An object, as was just seen.
  const given = options as Readonly<Record<string, unknown>>;
  const [wrong] = checkRanges('behaviour', given, answerRanges);
  if (wrong) throw new TypeError(wrong.rule);
  if (given['model'] !== undefined) requireName('model', given['model']);
}

/** Refuses options that nobody reads, and values of another type than theirs. @throws {TypeError} */
export function requireOptions(options: unknown, shapes: Shapes): void {
  const [wrong] = checkOptions(options, shapes);
  if (wrong) throw new TypeError(wrong.rule);
}

const askShapes: Shapes = {
  ...{ schema: 'schema', system: 'text', model: 'text' },
  ...{ maxTokens: 'number', temperature: 'number' },
};
