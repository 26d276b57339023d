import { hash } from 'node:crypto';

/** The signature of a thought; a thought that comes back changed no longer fits it. */
export function signatureOf(thinking: string): string {
  return hash('sha256', `thinking ${thinking}`, 'base64');
}
