import { callSite, type Declaration } from '@waymark/contract/declaring';

/** The signatures that a key of one's own can be declared for, in the names of RFC 7518; `none` is not among them. */
export const jwtAlgorithms = ['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512'] as const;

/** One signature algorithm: HS with a shared secret, RS with the issuer's RSA key. */
export type JwtAlgorithm = (typeof jwtAlgorithms)[number];

/** The signatures that are verified with the keys that an issuer publishes. None is made with what is public. */
export const issuerAlgorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'EdDSA'] as const;

/** One signature algorithm of an issuer that publishes its keys. */
export type IssuerAlgorithm = (typeof issuerAlgorithms)[number];

interface SharedOptions {
  /** How far our clock and the issuer's may be apart, 0 to 300; 30. */
  readonly leewaySecs?: number;
  /** `file:line` for messages. Found by itself; a function that wraps the declaration call passes its caller's. */
  readonly declaredAt?: string;
}

/** What tokens can be declared with that are verified with a key of our own. */
export interface JwtOptions extends SharedOptions {
  /** The only signature accepted, whatever a token says of itself; HS256. */
  readonly algorithm?: JwtAlgorithm;
  /** What `aud` must be or contain; not looked at. */
  readonly audience?: string;
  /** What `iss` must be; not looked at. */
  readonly issuer?: string;
}

/** What tokens can be declared with whose issuer publishes its keys. */
export interface IssuerOptions extends SharedOptions {
  /** What `iss` must be, letter by letter: an https URL, http for this machine. Its metadata lead to its keys. */
  readonly issuer: string;
  /** What `aud` must be or contain; the URL of the MCP endpoint, where it has a public one. */
  readonly audience?: string;
  /** The only signature accepted; all of them. */
  readonly algorithm?: IssuerAlgorithm;
}

/** Tokens that are verified with a key of our own. */
export interface KeyedTokens {
  readonly env: string;
  readonly algorithm: JwtAlgorithm;
  readonly audience?: string;
  readonly issuer?: string;
  readonly leewaySecs: number;
}

/** Tokens that are verified with the keys that their issuer publishes. */
export interface IssuedTokens {
  readonly env?: never;
  readonly issuer: string;
  readonly audience?: string;
  readonly algorithm?: IssuerAlgorithm;
  readonly leewaySecs: number;
}

/** The declared tokens of one issuer; `name` is the variable, or the issuer where there is none. It never holds a secret. */
export type JwtDeclaration = Declaration<'jwt', KeyedTokens | IssuedTokens>;

/**
 * Declares that JSON Web Tokens are taken as `Authorization: Bearer`: whoever sends one is the principal `sub`, with the
 * scopes of the claims `scope` and `scopes`.
 *
 * Several declarations stand beside each other, and a token that any of them verifies is good: to change a secret,
 * declare both until the old tokens have ended.
 *
 * @param secretEnv the variable that holds the HMAC secret, for RS the issuer's public key as PEM; read at the start.
 * Instead, the options of an issuer that publishes its keys (RFC 8414, OpenID Connect Discovery): read when its first
 * token comes, kept, and read again as they change
 */
export function jwt(secretEnv: string, options?: JwtOptions): JwtDeclaration;
export function jwt(options: IssuerOptions): JwtDeclaration;
export function jwt(first: string | IssuerOptions, options: JwtOptions = {}): JwtDeclaration {
  // Options nobody knows are kept: `checkCredentials` names them.
  if (typeof first === 'object' && first !== null) {
    const { declaredAt = callSite(jwt), leewaySecs = 30, ...others } = first;
    return { kind: 'jwt', name: first.issuer, options: { ...others, leewaySecs }, declaredAt };
  }
  const { declaredAt = callSite(jwt), algorithm = 'HS256', leewaySecs = 30, ...others } = options;
  return {
    kind: 'jwt',
    name: first,
    options: { ...others, env: first, algorithm, leewaySecs },
    declaredAt,
  };
}

/** Whether tokens are verified with the keys that their issuer publishes. */
export function areIssued(options: KeyedTokens | IssuedTokens): options is IssuedTokens {
  return !('env' in options);
}
