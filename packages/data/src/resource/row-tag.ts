import { hash } from 'node:crypto';

/** The entity tag of a row: the same for the same characters, and for no others. */
export function toRowTag(text: string): string {
  return `"${hash('sha256', text, 'base64url').slice(0, 27)}"`;
}
