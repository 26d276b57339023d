import { createHash } from 'node:crypto';

/** Makes a strong entity tag of what is sent: equal bytes have equal tags (RFC 9110, 8.8.3). */
export function toETag(content: string | Uint8Array): string {
  // 132 bits are plenty to tell versions apart.
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}
