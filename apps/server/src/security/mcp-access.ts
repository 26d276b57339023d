import { adminScope } from '@waymark/contract/principal';
import type { Declarations } from '../declaring/declarations.ts';

/** What an MCP client shows to be let in, as the application declares it; never a secret. */
export type McpAccess =
  /** Nothing. */
  | { readonly kind: 'open' }
  /** The key in a variable. */
  | { readonly kind: 'key'; readonly variable: string }
  /** A token that it gets by signing in at the issuer. */
  | { readonly kind: 'signIn'; readonly issuer: string }
  /** A token of an issuer that nobody named, who has to be asked by other means. */
  | { readonly kind: 'token' };

/** Chooses among what is declared: a key that reaches MCP, one without `svc:admin` first; else a token. */
export function mcpAccess({ declared: { credentials }, settings }: Declarations): McpAccess {
  const keys = credentials.flatMap((one) => (one.kind === 'apiKey' ? [one.options] : []));
  const reaching = keys.filter(
    ({ scopes }) =>
      scopes.includes(adminScope) || settings.mcpScopes.every((scope) => scopes.includes(scope)),
  );
  const key = reaching.find(({ scopes }) => !scopes.includes(adminScope)) ?? reaching[0];
  if (key) return { kind: 'key', variable: key.env };
  const tokens = credentials.flatMap((one) => (one.kind === 'jwt' ? [one.options] : []));
  const issuer = tokens.find((one) => one.issuer !== undefined)?.issuer;
  if (issuer !== undefined) return { kind: 'signIn', issuer };
  if (tokens.length > 0) return { kind: 'token' };
  // It is let in nowhere; the file says at least whom it would show.
  return keys[0] ? { kind: 'key', variable: keys[0].env } : { kind: 'open' };
}
