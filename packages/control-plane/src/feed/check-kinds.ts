import { HTTPError } from '@waymark/contract';
import { nearest } from '@waymark/contract/declaring';
import type { AuditStore } from '@waymark/contract/stores';

/**
 * Refuses a word that is none of those known, and a kind of no event that is kept: it would find nothing. What is kept may
 * be of an earlier release, or of a plugin that was taken out.
 *
 * @throws {HTTPError} 422, with the word that was probably meant, or those that there are
 */
export async function checkKinds(
  words: readonly string[],
  known: readonly string[],
  audit: Pick<AuditStore, 'list'>,
): Promise<void> {
  for (const word of words) {
    if (known.includes(word) || (await audit.list({ kind: word, limit: 1 })).length > 0) continue;
    const meant = nearest(word, known);
    const hint = meant === undefined ? `; there are ${known.join(', ')}` : ` (did you mean "${meant}"?)`;
    throw new HTTPError(422, `there is no kind "${word}"${hint}`);
  }
}
