import { adminScope, HTTPError, type Route } from '@waymark/contract';
import { type ControlRuleOptions, controlScopes } from './control-rule.ts';
import { createUrlMaker, metadataPath, protectedResourceRoute } from './protected-resource.ts';

/** What MCP clients are to know of the authorization. */
export interface McpAuthorizationOptions extends ControlRuleOptions {
  /** The issuers of the tokens that are taken. One that is no URL cannot be asked for a token, and is not told. */
  readonly issuers: readonly string[];
  /** What a 401 asks for: `Bearer realm="waymark"` where tokens are taken; the `challenge` of an `Authenticate`. */
  readonly challenge: string;
  /** `/_svc`. */
  readonly controlPrefix?: string;
  /**
   * Where clients reach the service, with the path that it is mounted at. When it is absent they are told the host they
   * asked for.
   */
  readonly publicUrl?: string | undefined;
  /** Where a surrounding application has mounted the door: `/api`; empty. */
  readonly mountPath?: string;
}

/** What tells MCP clients how to be let in. */
export interface McpAuthorization {
  /** The metadata of the MCP endpoint as a protected resource, when an issuer is a URL; for the table. */
  readonly routes: readonly Route[];
  /**
   * Completes a 401 or 403 under the prefix with what the client can do; for the door. A 403 reads alike on every path,
   * known or not. Only those of the MCP endpoint lead to its metadata.
   */
  challenge(refusal: HTTPError, at: { readonly path: string; readonly host: string | undefined }): HTTPError;
  /** Whether OAuth metadata is looked for at a path. Clients take any page for a broken answer; for the door. */
  isOwnPath(path: string): boolean;
}

/**
 * Makes what the authorization of MCP asks of a server (its Authorization pages, and RFC 9728): 401 and 403 name the
 * realm, the scopes and, where somebody issues tokens, the metadata that leads to them.
 */
export function mcpAuthorization(options: McpAuthorizationOptions): McpAuthorization {
  const { authenticated, mcpScopes: scopes = [adminScope], controlPrefix = '/_svc' } = options;
  const { challenge, publicUrl, mountPath = '' } = options;
  const issuers = options.issuers.filter(isWebUrl);
  const urlOf = createUrlMaker(publicUrl, mountPath);
  const metadataUrl = (host: string | undefined): string | undefined =>
    issuers.length === 0 ? undefined : urlOf(host, `${metadataPath}${controlPrefix}/mcp`);
  return {
    routes:
      issuers.length === 0
        ? []
        : [protectedResourceRoute({ controlPrefix, publicUrl, mountPath, issuers, scopes })],
    challenge(refusal, { path, host }) {
      const { status } = refusal;
      // Without authentication a 403 is for the place somebody calls from: no token helps.
      if (!authenticated || (status !== 401 && status !== 403)) return refusal;
      const url = path === '/mcp' ? metadataUrl(host) : undefined;
      const needed = controlScopes(path, scopes).join(' ');
      return withChallenge(refusal, [
        challenge,
        ...(status === 403 ? ['error="insufficient_scope"', `scope=${quoted(needed)}`] : []),
        ...(url === undefined ? [] : [`resource_metadata=${quoted(url)}`]),
      ]);
    },
    isOwnPath: (path) => discovery.test(path),
  };
}

/** Where clients look, at the root and for one resource or issuer: RFC 9728, RFC 8414, OpenID Connect Discovery. */
const discovery =
  /^\/\.well-known\/(?:oauth-protected-resource|oauth-authorization-server|openid-configuration)(?:\/|$)/;

function isWebUrl(issuer: string): boolean {
  return /^https?:\/\//i.test(issuer) && URL.canParse(issuer);
}

function withChallenge(
  { status, message, members, headers, cause }: HTTPError,
  parts: readonly string[],
): HTTPError {
  return new HTTPError(status, message, {
    ...members,
    cause,
    headers: { ...headers, 'www-authenticate': parts.join(', ') },
  });
}

/** A quoted string of HTTP; scopes may hold both characters that end one early. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
