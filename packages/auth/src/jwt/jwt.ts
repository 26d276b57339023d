import { callSite, type Declaration } from '@waymark/contract/declaring';

/** The signatures that a key of one's own can be declared for, in the names of RFC 7518; `none` is not among them. */
export const jwtAlgorithms = ['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512'] as const;

/** Signature algorithm of tokens with a declared key: HS with a shared secret, RS with the issuer's public RSA key. */
export type JwtAlgorithm = (typeof jwtAlgorithms)[number];

/** The signatures that are verified with the keys that an issuer publishes. None is made with what is public. */
export const issuerAlgorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'EdDSA'] as const;

/** Signature algorithm of an issuer that publishes its keys. */
export type IssuerAlgorithm = (typeof issuerAlgorithms)[number];

interface SharedOptions {
  /** Seconds that the issuer's clock may differ from ours, 0 to 300; default: 30. */
  readonly leewaySecs?: number;
  /**
   * Text in front of `sub` wherever the principal is named, as in `partner:`; default: none. `sub` is of one person only
   * within one issuer: declarations of several issuers have several prefixes, or say the same one where they know the same
   * people.
   */
  readonly subjectPrefix?: string;
  /**
   * Place of the call as `file:line`, named in problems. Found by itself; a function that wraps the call passes its
   * caller's.
   */
  readonly declaredAt?: string;
}

/** Options of tokens that are verified with a declared secret or public key. */
export interface JwtOptions extends SharedOptions {
  /** Only signature algorithm accepted, whatever the header of a token says; default: HS256. */
  readonly algorithm?: JwtAlgorithm;
  /** Audience that the claim `aud` must be or contain; default: `aud` is not checked. */
  readonly audience?: string;
  /** Issuer that the claim `iss` must be; default: `iss` is not checked. */
  readonly issuer?: string;
}

/** Options of tokens whose issuer publishes its keys. */
export interface IssuerOptions extends SharedOptions {
  /** Issuer that the claim `iss` must equal: an https URL, or http on this machine. Its metadata lead to its keys. */
  readonly issuer: string;
  /**
   * Audience that the claim `aud` must be or contain; default: the public URL of the MCP endpoint, where it has one.
   */
  readonly audience?: string;
  /** Only signature algorithm accepted; default: RS256, RS384, RS512, ES256 and EdDSA are. */
  readonly algorithm?: IssuerAlgorithm;
}

/** Tokens that are verified with a key of our own. */
export interface KeyedTokens {
  readonly env: string;
  readonly algorithm: JwtAlgorithm;
  readonly audience?: string;
  readonly issuer?: string;
  readonly leewaySecs: number;
  readonly subjectPrefix?: string;
}

/** Tokens that are verified with the keys that their issuer publishes. */
export interface IssuedTokens {
  readonly env?: never;
  readonly issuer: string;
  readonly audience?: string;
  readonly algorithm?: IssuerAlgorithm;
  readonly leewaySecs: number;
  readonly subjectPrefix?: string;
}

/**
 * Declaration of the tokens of one issuer, as `jwt` returns it: `name` is the variable, or the issuer URL. It holds no
 * secret.
 */
export type JwtDeclaration = Declaration<'jwt', KeyedTokens | IssuedTokens>;

/**
 * Declares that JSON Web Tokens are taken as `Authorization: Bearer`: a request with one is from the principal `sub`, behind
 * its `subjectPrefix`, with the scopes in the claims `scope` and `scopes`.
 *
 * A token is good when any of several declarations verifies it. To change a secret, declare both until the old tokens
 * have expired.
 *
 * With `IssuerOptions` the keys are those that the issuer publishes (RFC 8414, OpenID Connect Discovery): fetched for its
 * first token, cached, and fetched again as they change.
 *
 * @param secretEnv name of the environment variable with the HMAC secret, or for RS the issuer's public key as PEM; read
 * when the server starts
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
