import { DeclarationError } from '@waymark/contract';
import { type Awaitable, type Log, Partners } from '@waymark/contract/engine';
import type { Outbound } from '@waymark/contract/http';
import {
  type Authenticate,
  type Authentication,
  anonymous,
  type Credentials,
} from '@waymark/contract/principal';
import { ApiKeys } from './api-key/api-keys.ts';
import { checkCredentials } from './check-credentials.ts';
import { type CredentialDeclaration, isAuthenticationConfigured, ofKind } from './credential-declaration.ts';
import { BearerTokens } from './jwt/bearer-tokens.ts';
import { challengeOf, createRefuse } from './refusal.ts';
import { BrowserSessions, defaultEndedSessions } from './session/browser-sessions.ts';
import { Vouchers } from './session/vouchers.ts';

/** Options of `createAuthenticate`. */
export interface AuthenticateOptions {
  /** Current time in epoch milliseconds, for the times of tokens; default: `Date.now`. */
  readonly now?: () => number;
  /** Milliseconds of a clock that is never set, for the age of keys; default: `performance.now`. */
  readonly monotonic?: () => number;
  /** Outbound client to fetch the keys of issuers; needed where an issuer is declared. */
  readonly outbound?: Outbound;
  /** Audience of an issuer's tokens where its declaration names none: the URL of the MCP endpoint. */
  readonly resource?: string | undefined;
  /** Log of the reasons why keys could not be fetched; default: none. */
  readonly log?: Log;
  /** The issuers, by their hosts, each told how it answers; default: nobody is. */
  readonly issuers?: Partners;
  /** Name of the application, for the cookie of its sessions: ports of one host share cookies. Default: `app`. */
  readonly application?: string;
  /**
   * Sessions ended before their time that are remembered until then, 1 or more; beyond that whoever ended most has to sign
   * in again everywhere. Default: 10,000.
   */
  readonly maxEndedSessions?: number;
}

/**
 * Makes the function that authenticates requests: it gives the principal of the API key or token, or the anonymous one
 * when a request has neither.
 *
 * Secrets are read once, by this call. Every wrong credential gets the same 401: an unknown or empty key, two keys, or a
 * key beside a token even if both are good. An empty `authorization` is a 401 too, unless a key stands beside it. Only an
 * expired token is told apart, and 503 answers while the keys of its issuer cannot be fetched. A bearer is a token, or a
 * key declared with `bearer`; the query parameter `accessToken` is either, and counts only without these headers.
 *
 * Its `sessions` are those that these credentials open for browsers. A key's are good as long as the key is, with the
 * scopes that it has by then; a token's end with it. A door reads them; without routes that open one there are none.
 *
 * @param env reads one environment variable
 * @throws {DeclarationError} every problem that `checkCredentials` finds, such as a variable that is not set
 */
export function createAuthenticate(
  declarations: readonly CredentialDeclaration[],
  env: (name: string) => string | undefined,
  options: AuthenticateOptions = {},
): Authenticate {
  const { now = Date.now, monotonic = () => performance.now(), outbound, resource, log } = options;
  const { application = 'app', maxEndedSessions: maxEnded = defaultEndedSessions } = options;
  const { issuers = new Partners('issuer', { monotonic }) } = options;
  const problems = checkCredentials(declarations, env, options);
  if (problems.length > 0) throw new DeclarationError(problems);
  const read = (name: string): string => env(name) ?? '';
  const declaredKeys = ofKind('apiKey', declarations);
  const declaredTokens = ofKind('jwt', declarations);
  const vouchers = new Vouchers(application);
  const bearerKeys = new ApiKeys(
    declaredKeys.filter(({ options }) => options.bearer === true),
    read,
    vouchers,
  );
  const keys = new ApiKeys(declaredKeys, read, vouchers);
  const ids = new Set(declaredKeys.map(({ name }) => name));
  const challenge = challengeOf(declarations);
  const refuse = createRefuse(challenge);
  const tokens = new BearerTokens(declaredTokens, {
    ...{ read, isTaken: (id) => ids.has(id), now, monotonic, refuse, outbound, resource, log },
    ...{ vouchers, issuers },
  });
  const authenticateBearer = (text: string): Awaitable<Authentication> => {
    // Keys are not parsed as tokens, nor tokens hashed once more for keys, unless nothing else could be meant.
    if (!looksLikeToken(text)) return bearerKeys.find(text) ?? refuse();
    const verdict = tokens.authenticate(text);
    return verdict instanceof Promise ? verdict.then(orKey) : orKey(verdict);
    function orKey(judged: Authentication): Authentication {
      return judged.ok ? judged : (bearerKeys.find(text) ?? judged);
    }
  };
  const nobody = toNobody(declarations);
  const authenticate = ({ headers, accessToken }: Credentials): Awaitable<Authentication> => {
    const { authorization, 'x-api-key': key } = headers;
    // Clients that have no token send it empty beside their key: it names no scheme. Alone it is a wrong credential.
    if (authorization !== undefined && (authorization !== '' || key === undefined)) {
      const token = toBearer(authorization);
      // Two credentials could name two principals; neither is to be chosen.
      return token === undefined || key !== undefined ? refuse() : authenticateBearer(token);
    }
    if (key !== undefined) return keys.find(key) ?? refuse();
    if (accessToken !== undefined) return keys.find(accessToken) ?? tokens.authenticate(accessToken);
    return nobody;
  };
  if (!isAuthenticationConfigured(declarations)) return Object.assign(authenticate, { challenge });
  const sessions = new BrowserSessions({ vouchers, authenticate, refuse, now, application, maxEnded });
  return Object.assign(authenticate, { challenge, sessions });
}

/** Header, claims and signature (RFC 7515, 7.1). */
function looksLikeToken(text: string): boolean {
  return /^[^.]*\.[^.]*\.[^.]*$/.test(text);
}

/** The token of `Bearer <token>`; the scheme in any case (RFC 9110, 11.1). */
function toBearer(authorization: string): string | undefined {
  return /^bearer +([^ ]+)$/i.exec(authorization)?.[1];
}

function toNobody(declarations: readonly CredentialDeclaration[]): Authentication {
  const scopes = ofKind('anonymousScopes', declarations).flatMap(({ options }) => options.scopes);
  return { ok: true, principal: Object.freeze(anonymous(Object.freeze([...new Set(scopes)]))) };
}
