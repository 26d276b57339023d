import { anonymous } from '@waymark/contract/principal';

const reservedPrefixes = ['agent:', 'behaviour:', 'flow:', 'watcher:'];

/** Says whether an id is the one of callers without credentials. */
export function isAnonymous(id: string): boolean {
  return id === anonymous().id;
}

/**
 * The prefix of an id that belongs to the service itself, if it has one. Rows of memory and sessions belong to ids, so
 * two kinds of identity must never share one (decision 3.2).
 */
export function reservedPrefix(id: string): string | undefined {
  return reservedPrefixes.find((reserved) => id.startsWith(reserved));
}
