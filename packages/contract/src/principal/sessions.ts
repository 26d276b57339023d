import type { Awaitable } from '../engine/json.ts';
import type { Authentication, Credentials } from './credentials.ts';
import type { Principal } from './principal.ts';

/** The caller of a session, and the name under which it can be ended. */
export interface SessionHolder {
  /** Random, and no secret: nobody is let in by it. */
  readonly id: string;
  /** `expiresAtMs` is the end of the session. */
  readonly principal: Principal;
}

/** A session that was opened: what its cookie holds, and whom it lets in. */
export interface OpenedSession extends SessionHolder {
  readonly ok: true;
  /** The value of the cookie. It proves who sent it, so it belongs into no log. */
  readonly value: string;
}

/** A session that was ended before its time, as it has to be remembered until then. */
export interface EndedSession {
  /** Empty: all sessions of the holder that were issued up to then. */
  readonly id: string;
  /** The credential that it was opened with, and the principal, as one text; empty: whoever holds them. */
  readonly holder: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/**
 * The sessions of browsers (decision 12.1): a cookie that stands for a credential which was shown once. It never holds
 * the credential. Nothing is kept of sessions that are open, so any process that knows the credential can read one.
 */
export interface Sessions {
  /** Name of the cookie; `__Host-` begins it over https, so that no other host can set it. */
  cookieName(https: boolean): string;
  /**
   * Opens a session for whoever has shown a key or token; a session opens no other one. The refusals are those of
   * `Authenticate`, and 401 where there is no credential.
   */
  open(credentials: Credentials): Awaitable<OpenedSession | Extract<Authentication, { ok: false }>>;
  /** Tells whose session it is; undefined when it is none, has expired, was ended, or its credential has changed. */
  read(value: string): SessionHolder | undefined;
  /** Refuses a session from now on. @returns undefined for what is no session */
  end(value: string): EndedSession | undefined;
  /** Takes up what another process has ended. */
  restore(ended: EndedSession): void;
  /** Tells the ids of sessions as they end before their time. A listener must not throw. */
  onEnded(listener: (id: string) => void): void;
  /** Value of `Set-Cookie` that hands out a session, or without one takes it back. */
  setCookie(https: boolean, session?: OpenedSession): string;
}

/** What a door knows of the browser that a request came from. */
export interface BrowserSide {
  readonly https: boolean;
  /** Its browser says that a page of another origin sends it, whether that is listed in `cors` or not. */
  readonly foreign: boolean;
  /** The value of its session's cookie, unless that page sends it; it may be worth nothing. */
  readonly session: string | undefined;
}
