import { hash } from 'node:crypto';

/** The entity tag of a row: the same for the same characters, and for no others. */
export function toRowTag(text: string): string {
  return `"${hash('sha256', text, 'base64url').slice(0, 27)}"`;
}

/** Whether `If-Match` names a tag: a list of tags, or `*` for whatever there is. Weak ones match nothing (RFC 9110, 13.1.1). */
export function matchesTag(header: string, tag: string): boolean {
  return header.trim() === '*' || header.split(',').some((one) => one.trim() === tag);
}
