import { hash } from 'node:crypto';

/**
 * What every indexed word of an owner begins with. The index keeps equal words together, so a search reads the words of
 * its owner alone, however many others have the same ones.
 *
 * Digits only: the stemmer counts vowels. Two owners may share a mark, so whoever reads the index asks for the owner, too.
 */
export function ownerMark(owner: string): string {
  return `${hash('sha256', owner, 'buffer').readUIntBE(0, 6)}_`;
}
