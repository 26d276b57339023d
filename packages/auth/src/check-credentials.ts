import type { Problem } from '@waymark/contract';
import { asText, checkScopes, type Fault, toProblems } from '@waymark/contract/declaring';
import { checkApiKey } from './api-key/check-api-key.ts';
import { isVariable } from './check-rules.ts';
import { type CredentialDeclaration, ofKind } from './credential-declaration.ts';
import { isIssuerUrl } from './issuer/issuer-url.ts';
import { checkJwt } from './jwt/check-jwt.ts';
import type { JwtDeclaration } from './jwt/jwt.ts';
import { mixesPeople } from './jwt/subject-prefix.ts';

/** Options of `checkCredentials`. */
export interface CheckCredentialsOptions {
  /**
   * Audience of an issuer's tokens where its declaration names none; default: none, and such a declaration is a
   * problem.
   */
  readonly resource?: string | undefined;
}

/**
 * Lists every problem of the declared credentials. No text shows any part of a secret.
 *
 * @param env reads one environment variable
 */
export function checkCredentials(
  declarations: readonly CredentialDeclaration[],
  env: (name: string) => string | undefined,
  { resource }: CheckCredentialsOptions = {},
): readonly Problem[] {
  const keys = ofKind('apiKey', declarations);
  const read = (name: unknown): string => (typeof name === 'string' ? env(name) : undefined) ?? '';
  const keysById = firsts(keys, ({ name }) => name);
  const keysBySecret = firsts(keys, ({ options }) => read(options.env));
  const tokens = ofKind('jwt', declarations);
  const tokensByRule = firsts(tokens, toRule);

  const find = (declaration: CredentialDeclaration): readonly Fault[] => {
    switch (declaration.kind) {
      case 'apiKey': {
        const secret = read(declaration.options.env);
        return checkApiKey(declaration, secret, {
          sameId: other(keysById.get(declaration.name), declaration),
          sameSecret: other(keysBySecret.get(secret), declaration),
        });
      }
      case 'jwt': {
        const text = read(declaration.options.env);
        return checkJwt(declaration, text, {
          sameKey: keysBySecret.get(text),
          sameRule: other(tokensByRule.get(toRule(declaration)), declaration),
          sameSubjects: tokens
            .slice(0, tokens.indexOf(declaration))
            .find((earlier) => mixesPeople(earlier, declaration)),
          resource,
        });
      }
      case 'anonymousScopes':
        return checkScopes(declaration.options.scopes);
    }
  };
  return declarations.flatMap((declaration) =>
    toProblems(toTitle(declaration, read), declaration.declaredAt, find(declaration)),
  );
}

/** What decides which tokens a declaration accepts. */
function toRule({ options: { env, algorithm, audience, issuer } }: JwtDeclaration): string {
  // What is no text is a fault of its own, and not all of that is JSON.
  return JSON.stringify([env, algorithm, audience, issuer].map(asText));
}

/** The first declaration of each value. */
function firsts<D>(declarations: readonly D[], toValue: (declaration: D) => string): ReadonlyMap<string, D> {
  return new Map(declarations.toReversed().map((declaration) => [toValue(declaration), declaration]));
}

function other<D>(first: D | undefined, declaration: D): D | undefined {
  return first === declaration ? undefined : first;
}

function toTitle({ kind, name }: CredentialDeclaration, read: (name: string) => string): string {
  if (kind === 'anonymousScopes') return kind;
  // What stands where a variable is named may be the secret.
  const isShown =
    typeof name === 'string' && (kind !== 'jwt' || isVariable(name, read(name)) || isIssuerUrl(name));
  return isShown ? `${kind} "${name}"` : kind;
}
