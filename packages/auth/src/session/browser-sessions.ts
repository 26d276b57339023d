import { hash, randomBytes } from 'node:crypto';
import { HTTPError } from '@waymark/contract';
import type {
  Authenticate,
  Authentication,
  Credentials,
  EndedSession,
  OpenedSession,
  Principal,
  SessionHolder,
  Sessions,
} from '@waymark/contract/principal';
import type { Refuse } from '../refusal.ts';
import { EndedSessions } from './ended-sessions.ts';
import { maxSessionLength, readSession, type SessionClaims, writeSession } from './session-text.ts';
import type { Signer, Vouchers } from './vouchers.ts';

/** The longest that a session lasts, whatever its credential does: 12 hours (decision 12.1). */
export const longestSessionMs = 12 * 60 * 60_000;
/** Ended sessions that are remembered where nobody says. */
export const defaultEndedSessions = 10_000;
/** A session from further ahead was issued by a clock that was wrong, which would make it last longer. */
const clockLeewayMs = 5 * 60_000;

/** What sessions are made with. */
export interface BrowserSessionsOptions {
  readonly vouchers: Vouchers;
  readonly authenticate: Authenticate;
  readonly refuse: Refuse;
  /** Epoch milliseconds. */
  now(): number;
  /** Part of the cookie's name: ports of one host share their cookies. */
  readonly application: string;
  readonly maxEnded: number;
}

type Refused = Extract<Authentication, { ok: false }>;

/** The sessions of browsers that the declared credentials open. */
export class BrowserSessions implements Sessions {
  readonly #options: BrowserSessionsOptions;
  readonly #ended: EndedSessions;
  readonly #name: string;
  readonly #listeners: ((id: string) => void)[] = [];

  constructor(options: BrowserSessionsOptions) {
    this.#options = options;
    this.#ended = new EndedSessions(options.maxEnded, longestSessionMs);
    this.#name = toCookieName(options.application);
  }

  cookieName(https: boolean): string {
    return https ? `__Host-${this.#name}` : this.#name;
  }

  open(credentials: Credentials): OpenedSession | Refused | Promise<OpenedSession | Refused> {
    const told = this.#options.authenticate(credentials);
    return told instanceof Promise ? told.then((late) => this.#issue(late)) : this.#issue(told);
  }

  read(value: string): SessionHolder | undefined {
    const found = this.#find(value);
    return found && { id: found.claims.id, principal: found.principal };
  }

  end(value: string): EndedSession | undefined {
    const found = this.#find(value);
    if (!found) return undefined;
    const ended = toEnded(found);
    this.restore(ended);
    return ended;
  }

  restore(ended: EndedSession): void {
    this.#ended.add(ended, this.#options.now());
    for (const tell of this.#listeners) tell(ended.id);
  }

  onEnded(listener: (id: string) => void): void {
    this.#listeners.push(listener);
  }

  setCookie(https: boolean, session?: OpenedSession): string {
    const leftMs = session ? (session.principal.expiresAtMs ?? 0) - this.#options.now() : 0;
    return [
      `${this.cookieName(https)}=${session?.value ?? ''}`,
      'Path=/',
      `Max-Age=${Math.max(0, Math.floor(leftMs / 1000))}`,
      'HttpOnly',
      'SameSite=Strict',
      ...(https ? ['Secure'] : []),
    ].join('; ');
  }

  #issue(judged: Authentication): OpenedSession | Refused {
    const { vouchers, now, refuse } = this.#options;
    if (!judged.ok) return judged;
    const { principal } = judged;
    const voucher = vouchers.of(principal);
    if (!voucher) return refuse('a key or a token is needed');
    const { signer, generation, expiresAtMs: endsAtMs = principal.expiresAtMs } = voucher;
    const issuedAtMs = now();
    const expiresAtMs = Math.min(issuedAtMs + longestSessionMs, endsAtMs ?? Infinity);
    // What the clock of its issuer is allowed to be behind makes no session.
    if (expiresAtMs <= issuedAtMs) return refuse('the token has expired');
    const claims: SessionClaims = {
      ...{ id: randomBytes(16).toString('base64url'), subject: principal.id, issuedAtMs, expiresAtMs },
      ...(signer.carriesScopes && { scopes: principal.scopes }),
      ...(generation !== undefined && { generation }),
    };
    const value = writeSession(signer.mark, claims, signer.key);
    if (value.length > maxSessionLength)
      return {
        ok: false,
        error: new HTTPError(422, 'the scopes of this token are too many for the cookie of a session'),
      };
    return { ok: true, id: claims.id, value, principal: lasting(principal, expiresAtMs) };
  }

  #find(
    value: string,
  ): { readonly signer: Signer; readonly claims: SessionClaims; readonly principal: Principal } | undefined {
    const { vouchers, now } = this.#options;
    const read = readSession(value, (mark) => vouchers.signer(mark)?.key);
    const signer = read && vouchers.signer(read.mark);
    if (!signer) return undefined;
    const { claims } = read;
    const nowMs = now();
    if (nowMs >= claims.expiresAtMs || claims.issuedAtMs > nowMs + clockLeewayMs) return undefined;
    if (this.#ended.has(toEnded({ signer, claims }))) return undefined;
    const principal = signer.principalOf(claims);
    return principal && { signer, claims, principal: lasting(principal, claims.expiresAtMs) };
  }
}

function lasting(principal: Principal, expiresAtMs: number): Principal {
  return { ...principal, expiresAtMs };
}

function toEnded({
  signer,
  claims: { id, subject, issuedAtMs, expiresAtMs },
}: {
  readonly signer: Signer;
  readonly claims: SessionClaims;
}): EndedSession {
  return { id, holder: `${signer.mark} ${subject}`, issuedAtMs, expiresAtMs };
}

/** Two applications of one host have two names, also where what names can hold is the same of both. */
function toCookieName(application: string): string {
  const plain = application
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40);
  return plain === application
    ? `waymark-${plain}`
    : `waymark-${plain}-${hash('sha256', application, 'hex').slice(0, 8)}`;
}
