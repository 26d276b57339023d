import { HTTPError } from './http-error.ts';

/** `code` of a 503 by which a store says that it takes nothing until somebody helps; what it holds can be read. */
export type LastingOutage = 'disk_full' | 'disk_failing' | 'database_gone';

const codes: ReadonlySet<string> = new Set<LastingOutage>(['disk_full', 'disk_failing', 'database_gone']);

/**
 * Tells whether a store has refused for a reason that passes when somebody helps, and not by itself: whoever waits for an
 * answer is told so, and need not wait.
 */
export function isLastingOutage(error: unknown): error is HTTPError {
  return error instanceof HTTPError && codes.has(error.members.code ?? '');
}
