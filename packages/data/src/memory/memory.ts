import { asText, callSite, type Declaration, isOptions } from '@waymark/contract/declaring';

/** What a memory can be declared with. */
export interface MemoryOptions {
  /** Needed for all four tools, where `readScopes` and `writeScopes` say nothing else; none. */
  readonly scopes?: readonly string[];
  /** Needed to recall and to search; `scopes`. */
  readonly readScopes?: readonly string[];
  /** Needed to remember and to forget; `scopes`. */
  readonly writeScopes?: readonly string[];
  /** The most entries a search finds, and as many as it finds by default; 10. */
  readonly maxResults?: number;
  /** `file:line` for messages. Found by itself; a function that wraps the declaration call passes its caller's. */
  readonly declaredAt?: string;
}

/** A declared memory. */
export interface MemoryDeclaration extends Declaration<'memory', Omit<MemoryOptions, 'declaredAt'>> {
  /** The names of its tools, for the `tools` of an agent: `<name>_remember`, `_recall`, `_search`, `_forget`. */
  readonly tools: readonly string[];
}

/**
 * Declares a memory: entries of key and value that every principal has for itself, stored in the table `svc_<name>`.
 *
 * @param name `memory` by default; it begins the paths, the names of the tools and the name of the table
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
