import { randomUUID } from 'node:crypto';

/** How much a contestant does for each request besides answering it. */
export type Dress = 'bare' | 'full';

/** The protective headers that the product sends by default. */
export const protective = [
  'x-content-type-options',
  'nosniff',
  'x-frame-options',
  'DENY',
  'referrer-policy',
  'strict-origin-when-cross-origin',
  'cross-origin-opener-policy',
  'same-origin',
] as const;

/**
 * The headers of every answer in a class, names and values in turn. The product always sends a request id; in the bare
 * class it is the same for all.
 */
export function headersOf(dress: Dress): () => readonly string[] {
  return dress === 'bare' ? () => ['x-request-id', '1'] : () => [...protective, 'x-request-id', randomUUID()];
}

/** The class that a contestant is started in. */
export function dressOf([, , name]: readonly string[]): Dress {
  return name === 'full' ? 'full' : 'bare';
}
