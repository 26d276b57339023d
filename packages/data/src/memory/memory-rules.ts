import {
  asText,
  checkOptions,
  checkScopes,
  type Fault,
  isOptions,
  type RuleBook,
  type Shapes,
} from '@waymark/contract/declaring';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { MemoryDeclaration, MemoryOptions } from './memory.ts';
import { findDrift } from './memory-tables.ts';

/** Rules of memory declarations, by the `code` that a problem carries. */
export const memoryRules = {
  'memory-name': 'The name of a memory is a letter and up to 54 letters, digits or "_" after it.',
  'memory-taken': 'A memory is declared once; capitals make no other name.',
  'memory-max-results': 'The most results of a memory are a whole number from 1 to 1,000.',
  'memory-max-entries': 'The most entries of a principal are a whole number from 1 to 1,000,000.',
  'memory-table': 'The table of a memory has the columns of one.',
} as const satisfies RuleBook;

type MemoryFault = Fault<keyof typeof memoryRules>;

const shapes: Readonly<Record<keyof MemoryOptions, Shapes[string]>> = {
  // Looked at below.
  ...{ scopes: 'any', readScopes: 'any', writeScopes: 'any' },
  ...{ maxResults: 'number', maxEntries: 'number' },
  declaredAt: 'text',
};

/** The longest name whose tools have names that model APIs take. */
const namePattern = /^[a-zA-Z][a-zA-Z0-9_]{0,54}$/;

/** Finds what is wrong with the name of a memory: such a one gets no routes. */
export function checkMemoryName(
  { name }: MemoryDeclaration,
  earlier: readonly MemoryDeclaration[],
): readonly Fault[] {
  if (typeof name !== 'string' || !namePattern.test(name)) return [badName(name)];
  const twin = earlier.find((one) => asText(one.name).toLowerCase() === name.toLowerCase());
  return twin ? [taken(twin)] : [];
}

/** Finds what else is wrong with its declaration. */
export function checkMemory({ options }: MemoryDeclaration): readonly Fault[] {
  if (!isOptions(options)) return checkOptions(options, {});
  const { scopes, readScopes, writeScopes, maxResults, maxEntries } = options;
  const given = [scopes, readScopes, writeScopes].filter((one) => one !== undefined);
  return [
    ...checkOptions(options, shapes),
    ...given.flatMap(checkScopes),
    ...(typeof maxResults === 'number' && !isMaxResults(maxResults) ? [badCount(maxResults)] : []),
    ...(typeof maxEntries === 'number' && !isMaxEntries(maxEntries) ? [badEntries(maxEntries)] : []),
  ];
}

/** Finds what is wrong with the table it would use. */
export async function checkMemoryTable(name: string, database: SqlDatabase): Promise<readonly Fault[]> {
  const drift = await findDrift(database, name);
  return drift === undefined ? [] : [drifted(drift)];
}

/** Whether a memory can be declared with that many results. */
export function isMaxResults(given: unknown): given is number {
  return typeof given === 'number' && Number.isInteger(given) && given >= 1 && given <= 1_000;
}

/** The same of the entries of a principal. */
export function isMaxEntries(given: unknown): given is number {
  return typeof given === 'number' && Number.isInteger(given) && given >= 1 && given <= 1_000_000;
}

/** What it keeps of one principal where its declaration says nothing. */
export const defaultMaxEntries = 10_000;

function badName(name: unknown): MemoryFault {
  const rule = `the name ${typeof name === 'string' ? JSON.stringify(name.slice(0, 80)) : asText(name)} is not a letter and up to 54 letters, digits or "_" after it`;
  const meant = asText(name)
    .trim()
    .replace(/[^a-zA-Z0-9_]+/g, '_')
    .replace(/^[^a-zA-Z]+/, '')
    .slice(0, 55);
  const fix = `write memory('${typeof name === 'string' && meant !== '' ? meant : 'notes'}')`;
  return { code: 'memory-name', rule, fix };
}

function taken({ name, declaredAt }: MemoryDeclaration): MemoryFault {
  return {
    code: 'memory-taken',
    rule: `memory "${name}" is declared at ${declaredAt} already`,
    fix: 'use the tools of that one, or give this one another name',
  };
}

function badCount(maxResults: number): MemoryFault {
  return {
    code: 'memory-max-results',
    rule: `maxResults: ${maxResults} is not a whole number from 1 to 1,000`,
    fix: 'write maxResults: 10, or leave it out',
  };
}

function badEntries(maxEntries: number): MemoryFault {
  return {
    code: 'memory-max-entries',
    rule: `maxEntries: ${maxEntries} is not a whole number from 1 to 1,000,000`,
    fix: `write maxEntries: ${defaultMaxEntries}, or leave it out`,
  };
}

function drifted(rule: string): MemoryFault {
  return { code: 'memory-table', rule, fix: 'rename that table, or give the memory another name' };
}
