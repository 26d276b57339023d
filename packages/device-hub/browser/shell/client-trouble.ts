import { ProblemError, SocketError } from '@waymark/client-gen/runtime';
import { toTrouble } from './admission.ts';
import type { Credentials } from './credentials.ts';
import type { Trouble } from './trouble.ts';

/** Why the client of a device gave up for good. */
export function clientTrouble(error: unknown, credentials: Credentials): Trouble {
  if (error instanceof ProblemError) return toTrouble(error.status, credentials) ?? 'failed';
  // Policy and what the service says with a status of HTTP, added to 4000.
  if (error instanceof SocketError && error.code > 4000)
    return toTrouble(error.code - 4000, credentials) ?? 'failed';
  return 'failed';
}
