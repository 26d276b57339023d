import { asText, callSite, type Declaration, isOptions } from '@waymark/contract/declaring';

/** Options of a memory. Every one has a default. */
export interface MemoryOptions {
  /** Scopes that a caller needs where `readScopes` or `writeScopes` is left out; default: none. */
  readonly scopes?: readonly string[];
  /** Scopes that a caller needs to recall and to search; default: `scopes`. */
  readonly readScopes?: readonly string[];
  /** Scopes that a caller needs to remember and to forget; default: `scopes`. */
  readonly writeScopes?: readonly string[];
  /** Entries that a search gives at most, and where its `limit` is left out; 1 to 1,000, default: 10. */
  readonly maxResults?: number;
  /** Entries that one principal may have, 1 to 1,000,000; a key more is 409. Default: 10,000. */
  readonly maxEntries?: number;
  /**
   * Place of the call as `file:line`, named in problems. Found by itself; a function that wraps the call passes its
   * caller's.
   */
  readonly declaredAt?: string;
}

/** Declaration of a memory, as `memory` returns it. */
export interface MemoryDeclaration extends Declaration<'memory', Omit<MemoryOptions, 'declaredAt'>> {
  /** Names of its tools, for the `tools` of an agent: `<name>_remember`, `_recall`, `_search`, `_forget`. */
  readonly tools: readonly string[];
}

/**
 * Declares a memory: key-value entries, separate for each principal, stored in the table `svc_<name>`.
 *
 * @param name a letter and up to 54 letters, digits or `_`, default `memory`; part of the paths, the names of the tools
 * and the name of the table
 */
export function memory(name = 'memory', options: MemoryOptions = {}): MemoryDeclaration {
  if (!isOptions(options)) return { kind: 'memory', name, options, declaredAt: callSite(memory), tools: [] };
  // Options nobody knows are kept: the check names them.
  const { declaredAt = callSite(memory), ...rest } = options;
  return { kind: 'memory', name, options: rest, declaredAt, tools: memoryTools(name) };
}

/** The names of the four tools, in the order in which the specification lists them. */
function memoryTools(name: string): readonly string[] {
  return ['remember', 'recall', 'search', 'forget'].map((verb) => `${asText(name)}_${verb}`);
}
