import { isLibrarySchema } from '../schema/library-schema.ts';
import { nearestOr } from './nearest.ts';
import type { Fault, RuleBook } from './rule-book.ts';

/** The form of an option's value: a list is the words it may be; `any` is looked at elsewhere. */
export type Shape =
  | 'number'
  | 'boolean'
  | 'text'
  | 'texts'
  | 'options'
  | 'schema'
  | 'any'
  | readonly string[];

/** Every option of a declaration and what it holds. */
export type Shapes = Readonly<Record<string, Shape>>;

/** What holds for the options of every declaration call. */
export const optionRules = {
  'options-form': 'Options are an object.',
  'unknown-option': 'An option is one that its declaration knows.',
  'option-type': 'An option has the type of its values.',
  'unknown-word': 'An option that takes one of a few words has one of them.',
} as const satisfies RuleBook;

type OptionFault = Fault<keyof typeof optionRules>;

/**
 * Finds options that nobody reads, with the name that was probably meant, and options of another type than theirs. The
 * compiler says so first; JavaScript has none, and `allowUnauthenticated: 'false'` must not open anything.
 *
 * @param owner stands before the names of options inside of an option: `approver.`
 */
export function checkOptions(options: unknown, shapes: Shapes, owner = ''): readonly OptionFault[] {
  if (!isOptions(options))
    return [
      {
        code: 'options-form',
        rule: `${owner === '' ? 'the options are' : `${owner.slice(0, -1)} is`} not an object`,
        fix: 'write { name: value }',
      },
    ];
  return Object.entries(options).flatMap(([name, value]) => checkOption(name, value, shapes, owner));
}

/** The options that are known and have their type: what is safe to use while the problems are being reported. */
export function wellShaped<T extends object>(options: T, shapes: Shapes): Partial<T> {
  const good = Object.entries(isOptions(options) ? options : {}).filter(
    ([name, value]) => value !== undefined && checkOption(name, value, shapes, '').length === 0,
  );
  // Only members of T are left, and each may be missing.
  return Object.fromEntries(good) as Partial<T>;
}

/** Says whether a value can hold options at all. */
export function isOptions(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function checkOption(name: string, value: unknown, shapes: Shapes, owner: string): readonly OptionFault[] {
  // An option may be there and hold nothing; that is the same as leaving it out.
  if (value === undefined) return [];
  const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
  if (shape === undefined) return [unknownOption(name, Object.keys(shapes), owner)];
  if (fits(value, shape)) return [];
  const title = owner + name;
  if (typeof shape !== 'string' && typeof value === 'string') return [unknownWord(title, value, shape)];
  const fix = fixFor(value, shape);
  return [{ code: 'option-type', rule: `${title} is not ${wordsOf(shape)}`, fix: `write ${fix}` }];
}

function unknownOption(name: string, known: readonly string[], owner: string): OptionFault {
  const shown = known.filter((one) => one !== 'declaredAt');
  const rule = `unknown option "${owner}${name}"`;
  return {
    code: 'unknown-option',
    rule,
    ...nearestOr(`take it out; there are ${shown.join(', ')}`, name, known),
  };
}

function unknownWord(title: string, word: string, known: readonly string[]): OptionFault {
  const rule = `unknown ${title} "${word}"`;
  return { code: 'unknown-word', rule, ...nearestOr(`write ${oneOf(known)}`, word, known) };
}

function fits(value: unknown, shape: Shape): boolean {
  switch (shape) {
    case 'number':
    case 'boolean':
      return typeof value === shape;
    case 'text':
      return typeof value === 'string';
    case 'texts':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'options':
      return isOptions(value);
    case 'schema':
      return isOptions(value) || isLibrarySchema(value);
    case 'any':
      return true;
    default:
      return typeof value === 'string' && shape.includes(value);
  }
}

function wordsOf(shape: Shape): string {
  if (typeof shape !== 'string') return oneOf(shape);
  return {
    number: 'a number',
    boolean: 'true or false',
    text: 'a text',
    texts: 'a list of texts',
    options: 'an object',
    schema: 'an object',
    any: 'anything',
  }[shape];
}

/** What was probably meant, where the value tells; else what the type looks like. */
function fixFor(value: unknown, shape: Shape): string {
  if (typeof shape !== 'string') return oneOf(shape);
  if (typeof value === 'string') {
    if (shape === 'texts') return `[${JSON.stringify(value)}]`;
    if (shape === 'boolean' && (value === 'true' || value === 'false')) return `${value}, without quotes`;
    if (shape === 'number' && /^-?\d+(\.\d+)?$/.test(value)) return `${value}, without quotes`;
  }
  if (shape === 'text' && (typeof value === 'number' || typeof value === 'boolean')) return `'${value}'`;
  return {
    number: 'a number',
    boolean: 'true or false',
    text: "a text: '…'",
    texts: "['…']",
    options: '{ … }',
    schema: '{ … }',
    any: 'anything',
  }[shape];
}

function oneOf(words: readonly string[]): string {
  return words.length < 2 ? `${words[0]}` : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
