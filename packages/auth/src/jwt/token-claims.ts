import type { Principal } from '@waymark/contract/principal';
import { isAnonymous, reservedPrefix, unclearId } from '../reserved-ids.ts';
import { areIssued, type IssuedTokens, type KeyedTokens } from './jwt.ts';
import type { Claims } from './verify-jwt.ts';

/** The end of the year 9999. A later `exp` is one in milliseconds: a token for fifty thousand years. */
const maxDateSecs = 253_402_300_799;

/** What a token says, once its signature is known to be good. */
export interface TokenClaims {
  readonly principal: Principal;
  /** Epoch milliseconds; the beginning of time without `nbf`. */
  readonly notBeforeMs: number;
  /** As it says itself; the principal is let in until the leeway of clocks is over, too. */
  readonly expiresAtMs: number;
}

/**
 * Reads who a token is from, what they may do and when. `sub` and `exp` are needed (decision 3.2); of a claim that is
 * there twice the last counts, as RFC 7519 (4) allows.
 *
 * @param isTaken says whether an id is somebody else's
 * @param options of the declaration that the token was found to follow
 * @returns undefined where a claim is missing or cannot be believed
 */
export function readClaims(
  claims: Claims,
  isTaken: (id: string) => boolean,
  options: KeyedTokens | IssuedTokens,
): TokenClaims | undefined {
  const { sub, exp, nbf = Number.NEGATIVE_INFINITY } = claims;
  const { issuer, subjectPrefix = '' } = options;
  const id = isClear(sub) ? subjectPrefix + sub : '';
  if (!isFree(id) || isTaken(id) || typeof nbf !== 'number' || !isDate(exp)) return undefined;
  const expiresAtMs = Math.floor(exp * 1000);
  const scopes = Object.freeze(readScopes(claims, areIssued(options)));
  return {
    principal: Object.freeze({
      ...{ id, rootId: id, authenticated: true, scopes },
      // Sockets and streams end when it is accepted no more, as requests do.
      expiresAtMs: expiresAtMs + options.leewaySecs * 1000,
      ...(issuer !== undefined && { issuer }),
    }),
    notBeforeMs: nbf * 1000,
    expiresAtMs,
  };
}

/** What cannot be told from another is neither, or two subjects would be one in stores, logs and the eyes of a human. */
function isClear(text: unknown): text is string {
  return typeof text === 'string' && text !== '' && unclearId(text) === undefined;
}

/** A prefix may make of a subject what neither of them is. */
function isFree(id: string): boolean {
  return isClear(id) && !isAnonymous(id) && reservedPrefix(id) === undefined;
}

function isDate(exp: unknown): exp is number {
  return typeof exp === 'number' && exp <= maxDateSecs;
}

/**
 * `scope` as RFC 8693 writes it and `scopes` as a list; a claim of any other type gives none. Of issuers that are services,
 * `scp` as well: Entra writes it as the one, Okta as the other.
 */
function readScopes({ scope, scopes, scp }: Claims, isIssued: boolean): string[] {
  const words = [
    ...toSpaced(scope),
    ...toListed(scopes),
    ...(isIssued ? [...toSpaced(scp), ...toListed(scp)] : []),
  ];
  return [...new Set(words)].filter((item) => item !== '');
}

function toSpaced(claim: unknown): readonly string[] {
  return typeof claim === 'string' ? claim.split(' ') : [];
}

function toListed(claim: unknown): readonly string[] {
  return Array.isArray(claim) && claim.every((item) => typeof item === 'string') ? claim : [];
}
