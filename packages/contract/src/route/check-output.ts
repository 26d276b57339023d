import type { Fault, RuleBook } from '../declaring/rule-book.ts';
import { isLibrarySchema } from '../schema/library-schema.ts';

/** What holds for declared answers. */
export const outputRules = {
  'output-form': 'Output is a schema, or a schema for each status.',
  'output-status': 'The statuses of an output are numbers from 100 to 599, and stand alone.',
} as const satisfies RuleBook;

type OutputFault = Fault<keyof typeof outputRules>;

/** The answers of a route by status, and what is wrong with how they were declared. */
export interface OutputReading {
  readonly byStatus: Readonly<Record<string, object>>;
  readonly faults: readonly OutputFault[];
}

/** Reads an `output` declaration: one schema means status 200. */
export function readOutput(output: unknown): OutputReading {
  if (output === undefined) return { byStatus: {}, faults: [] };
  if (isLibrarySchema(output)) return { byStatus: { 200: output }, faults: [] };
  if (typeof output !== 'object' || output === null) return { byStatus: {}, faults: [noSchema('output')] };
  const statuses = Object.keys(output).filter((key) => /^\d/.test(key));
  if (statuses.length === 0) return { byStatus: { 200: output }, faults: [] };
  const entries = Object.entries(output);
  const isStatus = (key: string): boolean => /^[1-5]\d\d$/.test(key);
  return {
    byStatus: Object.fromEntries(entries.filter(([key, schema]) => isStatus(key) && isSchema(schema))),
    faults: entries.flatMap(([key, schema]) => [
      ...(isStatus(key) ? [] : [noStatus(key)]),
      ...(isSchema(schema) ? [] : [noSchema(`output ${key}`)]),
    ]),
  };
}

function isSchema(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || isLibrarySchema(value);
}

function noSchema(title: string): OutputFault {
  return {
    code: 'output-form',
    rule: `${title} is not a schema`,
    fix: 'write Type.Object({ … }), or leave it out',
  };
}

function noStatus(key: string): OutputFault {
  const fix = 'write a number from 100 to 599, each status by itself';
  return { code: 'output-status', rule: `output "${key}" stands for no status`, fix };
}
