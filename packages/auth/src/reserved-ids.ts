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

/**
 * Says why an id cannot be told from another by whoever reads it, if so. Two of them would be two principals with rows of
 * their own, which look like one in approvals and logs.
 */
export function unclearId(id: string): string | undefined {
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(id))
    return 'holds a character that cannot be seen';
  if (/[\p{Cn}\p{Cs}\uFFFD]/u.test(id)) return 'holds a character that is none';
  if (id !== id.trim()) return 'begins or ends with white space';
  return id === id.normalize('NFC') ? undefined : 'is not in the normal form NFC';
}

/** An id as it can be read: what cannot be seen is shown by its number. */
export function readableId(id: string): string {
  const shown = id.replace(
    /[\p{Cc}\p{Cf}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`,
  );
  return `"${shown}"`;
}
