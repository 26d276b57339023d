import type { HTTPError } from '../engine/http-error.ts';
import type { Principal } from './principal.ts';

/** The part of a request that proves who sent it. */
export interface Credentials {
  /** Lower-cased names, as received. */
  readonly headers: Readonly<Record<string, string>>;
  /** The `access_token` query value; present on upgrades only. */
  readonly accessToken?: string;
}

/** The sender of a request, or why it cannot be told. */
export type Authentication =
  | { readonly ok: true; readonly principal: Principal }
  | { readonly ok: false; readonly error: HTTPError };
