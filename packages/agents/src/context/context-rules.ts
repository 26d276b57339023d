import type { Fault, RuleBook } from '@waymark/contract/declaring';

/** Rules of context declarations, by the `code` that a problem carries. */
export const contextRules = {
  'context-name': 'The name of a context is a letter and up to 63 letters, digits, "_" or "-" after it.',
  'context-taken': 'A context is declared once.',
  'context-source': 'A context has one source: a statement, a constant, or a function.',
  'context-data': 'The constant of a context is what JSON can hold.',
  'context-range': 'The characters of a context are a whole number from 1 to 1,000,000.',
  'context-database': 'A context that runs SQL has a database.',
  'context-sql': 'The SQL of a context is one statement that reads, of tables and columns that exist.',
  'context-params': 'The params of a context are names, and each has its placeholder.',
  'context-principal': 'The root principal is bound as "@principal", and nothing else has that name.',
} as const satisfies RuleBook;

/** A rule of these that is broken. */
export type ContextFault = Fault<keyof typeof contextRules>;

/** A broken rule in one line. */
export function fault(code: ContextFault['code'], rule: string, fix: string): ContextFault {
  return { code, rule, fix };
}
