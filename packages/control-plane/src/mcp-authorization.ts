import { HTTPError, type Route } from '@waymark/contract';
import { adminScope, type Principal } from '@waymark/contract/principal';
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
  /** The scopes of all tool routes. Asked once, when the first client wants to know; none. */
  readonly toolScopes?: () => readonly string[];
}

/** Where a refusal was given, and to whom. */
interface RefusedAt {
  /** Relative to the prefix. */
  readonly path: string;
  readonly host: string | undefined;
  readonly principal?: Principal | undefined;
}

/** What tells MCP clients how to be let in. */
export interface McpAuthorization {
  /** The URL of the MCP endpoint, where it has a public one. */
  readonly resource: string | undefined;
  /** The metadata of the MCP endpoint as a protected resource, when an issuer is a URL; for the table. */
  readonly routes: readonly Route[];
  /**
   * Completes a 401 or 403 under the prefix with what the client can do; for the door. A 403 reads alike on every path,
   * known or not. Only those of the MCP endpoint lead to its metadata.
   */
  challenge(refusal: HTTPError, at: RefusedAt): HTTPError;
  /**
   * What the 403 of a tool asks for whose scopes a caller lacks; for the MCP route. Undefined for callers who cannot ask
   * for a token with more.
   */
  stepUp(principal: Principal, needed: readonly string[], host: string | undefined): string | undefined;
  /** Whether OAuth metadata is looked for at a path. Clients take any page for a broken answer; for the door. */
  isOwnPath(path: string): boolean;
}

/**
 * Makes what the authorization of MCP asks of a server (its Authorization pages, and RFC 9728): 401 and 403 name the
 * realm, the scopes and, where somebody issues tokens, the metadata that leads to them.
 *
 * A 401 and the metadata name the scopes of the gate and of all tools: a list shows the caller's tools only, so a token
 * for the gate alone would see none, and never meet the 403 that leads further (decision 13.1). A 403 names the scopes
 * that the token has beside those it lacks: clients ask for what they are told, and some forget what they had.
 */
export function mcpAuthorization(options: McpAuthorizationOptions): McpAuthorization {
  const { authenticated, mcpScopes: scopes = [adminScope], controlPrefix = '/_svc' } = options;
  const { challenge, publicUrl, mountPath = '' } = options;
  const issuers = options.issuers.filter(isWebUrl);
  let known: readonly string[] | undefined;
  const supported = (): readonly string[] =>
    (known ??= [...new Set([...scopes, ...(options.toolScopes?.() ?? [])])]);
  const urlOf = createUrlMaker(publicUrl, mountPath);
  const metadataUrl = (host: string | undefined): string | undefined =>
    issuers.length === 0 ? undefined : urlOf(host, `${metadataPath}${controlPrefix}/mcp`);
  const canAsk = (principal: Principal | undefined): principal is Principal =>
    principal?.issuer !== undefined && issuers.includes(principal.issuer);
  const insufficient = (
    needed: readonly string[],
    principal: Principal | undefined,
    url: string | undefined,
  ): string => {
    const all = canAsk(principal) ? [...new Set([...principal.scopes.filter(isScope), ...needed])] : needed;
    return toHeader([
      challenge,
      'error="insufficient_scope"',
      scopesPart(all) ?? scopesPart(needed),
      metadataPart(url),
    ]);
  };
  return {
    resource: urlOf(undefined, `${controlPrefix}/mcp`),
    routes:
      issuers.length === 0
        ? []
        : [protectedResourceRoute({ controlPrefix, publicUrl, mountPath, issuers, scopes: supported })],
    stepUp: (principal, needed, host) =>
      canAsk(principal) ? insufficient(needed, principal, metadataUrl(host)) : undefined,
    challenge(refusal, { path, host, principal }) {
      const { status } = refusal;
      // Without authentication a 403 is for the place somebody calls from: no token helps.
      if (!authenticated || (status !== 401 && status !== 403)) return refusal;
      const leads = path === '/mcp' && issuers.length > 0;
      const url = leads ? metadataUrl(host) : undefined;
      return withChallenge(
        refusal,
        status === 403
          ? insufficient(controlScopes(path, scopes), leads ? principal : undefined, url)
          : toHeader([challenge, leads ? scopesPart(supported()) : undefined, metadataPart(url)]),
      );
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

function withChallenge({ status, message, members, headers, cause }: HTTPError, text: string): HTTPError {
  return new HTTPError(status, message, {
    ...members,
    cause,
    headers: { ...headers, 'www-authenticate': text },
  });
}

/** Longer lists do not fit into the headers that proxies take; clients find them in the metadata. */
const maxScopesLength = 2_048;

/** @returns undefined for none, and for more than a header should hold */
function scopesPart(scopes: readonly string[]): string | undefined {
  const text = quoted(scopes.join(' '));
  return scopes.length > 0 && text.length <= maxScopesLength ? `scope=${text}` : undefined;
}

function metadataPart(url: string | undefined): string | undefined {
  return url === undefined ? undefined : `resource_metadata=${quoted(url)}`;
}

function toHeader(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(', ');
}

/** Tokens may hold others, which no header can carry. */
function isScope(scope: string): boolean {
  return /^[\x21-\x7e]+$/.test(scope);
}

/** A quoted string of HTTP; scopes may hold both characters that end one early. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
