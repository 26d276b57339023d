import { DeclarationError } from '@waymark/contract';
import type { Awaitable, Log } from '@waymark/contract/engine';
import type { Outbound } from '@waymark/contract/http';
import {
  type Authenticate,
  type Authentication,
  anonymous,
  type Credentials,
} from '@waymark/contract/principal';
import { ApiKeys } from './api-key/api-keys.ts';
import { checkCredentials } from './check-credentials.ts';
import { type CredentialDeclaration, ofKind } from './credential-declaration.ts';
import { BearerTokens } from './jwt/bearer-tokens.ts';
import { challengeOf, createRefuse } from './refusal.ts';

/** What `createAuthenticate` can be given besides declarations. */
export interface AuthenticateOptions {
  /** Epoch milliseconds, for the times of tokens; the clock on the wall. */
  readonly now?: () => number;
  /** Milliseconds of a clock that only goes forward, for the age of keys; the system's. */
  readonly monotonic?: () => number;
  /** Reaches issuers that publish their keys. Needed where one is declared. */
  readonly outbound?: Outbound;
  /** The audience of an issuer's tokens whose declaration names none: the URL of the MCP endpoint. */
  readonly resource?: string | undefined;
  /** Told why keys could not be read. */
  readonly log?: Log;
}

/**
 * Makes the function that tells who a request is from: the principal of its API key or of its token, or anonymous when
 * it shows nothing.
 *
 * Secrets are read once, now. Whatever is wrong gets the same 401: an unknown key, an empty one, two keys, a key
 * beside a token even if both are good. An empty `authorization` is wrong where it stands alone, and nothing beside a
 * key. Only a token that has ended is told so, and one whose issuer cannot be asked for its keys is 503. `accessToken`
 * may be either credential, and counts only without these headers. A bearer may be a token, or a key that is declared so.
 *
 * @param env reads one environment variable
 * @throws {DeclarationError} with what `checkCredentials` finds: an unset variable must never mean an empty key
 */
export function createAuthenticate(
  declarations: readonly CredentialDeclaration[],
  env: (name: string) => string | undefined,
  options: AuthenticateOptions = {},
): Authenticate {
  const { now = Date.now, monotonic = () => performance.now(), outbound, resource, log } = options;
  const problems = checkCredentials(declarations, env, options);
  if (problems.length > 0) throw new DeclarationError(problems);
  const read = (name: string): string => env(name) ?? '';
  const declaredKeys = ofKind('apiKey', declarations);
  const declaredTokens = ofKind('jwt', declarations);
  const keys = new ApiKeys(declaredKeys, read);
  const bearerKeys = new ApiKeys(
    declaredKeys.filter(({ options }) => options.bearer === true),
    read,
  );
  const ids = new Set(declaredKeys.map(({ name }) => name));
  const challenge = challengeOf(declarations);
  const refuse = createRefuse(challenge);
  const tokens = new BearerTokens(declaredTokens, {
    ...{ read, isTaken: (id) => ids.has(id), now, monotonic, refuse, outbound, resource, log },
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
  return Object.assign(authenticate, { challenge });
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
