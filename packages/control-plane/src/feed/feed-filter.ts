import { auditKinds } from '@waymark/contract/stores';
import { type FeedType, feedTypes, typeOf } from './feed-event.ts';

/** Which events somebody wants. */
export interface FeedFilter {
  /** Those of which any are wanted. */
  readonly types: readonly FeedType[];
  wants(type: FeedType, kind: string): boolean;
}

/** Some words, of types and of kinds, with commas between them. */
export const kindsPattern = '^[a-z][a-z0-9_]{0,63}(,[a-z][a-z0-9_]{0,63}){0,31}$';

/** Reads a list of words: a type stands for all its kinds. @param kinds undefined: everything */
export function toFilter(kinds: string | undefined): FeedFilter {
  if (kinds === undefined) return { types: feedTypes, wants: () => true };
  const words = new Set(kinds.split(','));
  const wants = (type: FeedType, kind: string): boolean => words.has(type) || words.has(kind);
  return { types: feedTypes.filter((type) => mayHave(words, type)), wants };
}

function mayHave(words: ReadonlySet<string>, type: FeedType): boolean {
  if (words.has(type)) return true;
  return [...words].some((word) => (type === 'step' ? ofSteps.has(word) : typeOf(word) === type));
}

/** Kinds of steps. Some are words of the audit log as well: who wants them gets both. */
const ofSteps: ReadonlySet<string> = new Set([
  ...['model', 'tool_call', 'tool_refused', 'handoff', 'compaction', 'context'],
]);

/** Types and kinds that a service has by itself. */
export const knownWords: readonly string[] = [...new Set([...feedTypes, ...auditKinds, ...ofSteps])];
