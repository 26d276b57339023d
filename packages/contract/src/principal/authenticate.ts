import type { Awaitable } from '../engine/json.ts';
import type { Authentication, Credentials } from './credentials.ts';
import type { Sessions } from './sessions.ts';

/**
 * Turns credentials into a principal. Must answer `ok: false` for a wrong credential (401), or one that cannot be judged
 * now (503), never an anonymous principal, and must not reject.
 */
export interface Authenticate {
  (credentials: Credentials): Awaitable<Authentication>;
  /** What a 401 asks for, the value of `WWW-Authenticate`; `ApiKey realm="waymark"`. */
  readonly challenge?: string;
  /** The sessions that its keys and tokens can open; absent where there are none. */
  readonly sessions?: Sessions;
}
