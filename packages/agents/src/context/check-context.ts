import { checkOptions, type Fault, isOptions, type Shape } from '@waymark/contract/declaring';
import { type ContextDeclaration, contextReturns } from './context.ts';
import { type ContextFault, fault } from './context-rules.ts';

/** The param that is bound to the root principal, and that no caller can give. */
export const principalParam = '@principal';

const shapes: Readonly<Record<string, Shape>> = {
  sql: 'text',
  // Looked at below.
  ...{ params: 'any', data: 'any' },
  returns: contextReturns,
  description: 'text',
  maxChars: 'number',
  declaredAt: 'text',
};

/** Finds what a declaration shows by itself. */
export function checkContext(
  { name, options }: ContextDeclaration,
  earlier: readonly ContextDeclaration[],
): readonly Fault[] {
  const named = checkName(name, earlier);
  if (!isOptions(options)) return [...named, ...checkOptions(options, {})];
  // What is written as an argument is no option.
  const { read: _, ...given } = options;
  return [
    ...named,
    ...checkOptions(given, shapes),
    ...checkSource(options),
    ...checkData(options.data),
    ...checkParams(options),
    ...checkRange(options.maxChars),
  ];
}

function checkName(name: unknown, earlier: readonly ContextDeclaration[]): readonly ContextFault[] {
  if (typeof name !== 'string' || !/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/.test(name))
    return [
      fault(
        'context-name',
        'its name is not a letter and up to 63 letters, digits, "_" or "-" after it',
        "write a word: 'open_tickets'",
      ),
    ];
  const twin = earlier.find((one) => one.name === name);
  return twin
    ? [fault('context-taken', `it is declared at ${twin.declaredAt} already`, 'take one of them out')]
    : [];
}

function checkSource({ sql, data, read }: ContextDeclaration['options']): readonly ContextFault[] {
  const sources = [sql, data, read].filter((one) => one !== undefined).length;
  if (sources === 1) return read === undefined || typeof read === 'function' ? [] : [noFunction];
  return [
    sources === 0
      ? fault('context-source', 'it has no source', "write sql: 'select …', data: …, or a function")
      : fault('context-source', 'it has more than one source', 'leave one of sql, data and the function'),
  ];
}

const noFunction = fault('context-source', 'its source is no function', 'write (request) => ({ … })');

function checkData(data: unknown): readonly ContextFault[] {
  if (data === undefined) return [];
  try {
    if (JSON.stringify(data) !== undefined) return [];
  } catch {
    // A circle, or a BigInt: the same to say.
  }
  return [fault('context-data', 'its data is not JSON', 'write texts, numbers, lists and objects')];
}

function checkParams({ params, sql }: ContextDeclaration['options']): readonly ContextFault[] {
  if (params === undefined) return [];
  if (sql === undefined) return [fault('context-params', 'it has params and no SQL', 'take the params out')];
  const isNames = Array.isArray(params) && params.every((name) => typeof name === 'string');
  if (!isNames || new Set(params).size < params.length)
    return [fault('context-params', 'its params are no list of names', "write params: ['input']")];
  return params.flatMap((name: string) => {
    // `where owner = @principal` must never be what a caller says.
    if (name === 'principal')
      return [
        fault(
          'context-principal',
          'the param "principal" would be given by callers',
          `write "${principalParam}" for the root principal, or take another name`,
        ),
      ];
    return name === principalParam || /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)
      ? []
      : [fault('context-params', `"${name}" is no name of a param`, 'write a word')];
  });
}

function checkRange(maxChars: unknown): readonly ContextFault[] {
  if (typeof maxChars !== 'number') return [];
  if (Number.isInteger(maxChars) && maxChars >= 1 && maxChars <= 1_000_000) return [];
  const rule = 'maxChars is not a whole number from 1 to 1,000,000';
  return [fault('context-range', rule, 'write maxChars: 4000')];
}
