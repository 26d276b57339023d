import { callSite, type Declaration } from '@waymark/contract';

/** The signatures that can be declared, in the names of RFC 7518; `none` is not among them. */
export const jwtAlgorithms = ['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512'] as const;

/** One signature algorithm: HS with a shared secret, RS with the issuer's RSA key. */
export type JwtAlgorithm = (typeof jwtAlgorithms)[number];

/** What the tokens of one issuer can be declared with. */
export interface JwtOptions {
  /** The only signature accepted, whatever a token says of itself; HS256. */
  readonly algorithm?: JwtAlgorithm;
  /** What `aud` must be or contain; not looked at. */
  readonly audience?: string;
  /** What `iss` must be; not looked at. */
  readonly issuer?: string;
  /** How far our clock and the issuer's may be apart, 0 to 300; 30. */
  readonly leewaySecs?: number;
  /** `file:line` for messages. Found by itself; a function that wraps the declaration call passes its caller's. */
  readonly declaredAt?: string;
}

/** The declared tokens of one issuer; `name` is the variable. It never holds the secret. */
export type JwtDeclaration = Declaration<
  'jwt',
  {
    readonly env: string;
    readonly algorithm: JwtAlgorithm;
    readonly audience?: string;
    readonly issuer?: string;
    readonly leewaySecs: number;
  }
>;

/**
 * Declares that JSON Web Tokens are taken as `Authorization: Bearer`: whoever sends one is the principal `sub`, with the
 * scopes of the claims `scope` and `scopes`.
 *
 * Several declarations stand beside each other, and a token that any of them verifies is good: to change a secret,
 * declare both until the old tokens have ended.
 *
 * @param secretEnv the variable that holds the HMAC secret, for RS the issuer's public key as PEM; read at the start
 */
export function jwt(secretEnv: string, options: JwtOptions = {}): JwtDeclaration {
  // Options nobody knows are kept: `checkCredentials` names them.
  const { declaredAt = callSite(jwt), algorithm = 'HS256', leewaySecs = 30, ...others } = options;
  return {
    kind: 'jwt',
    name: secretEnv,
    options: { ...others, env: secretEnv, algorithm, leewaySecs },
    declaredAt,
  };
}
