import { HTTPError, type Route } from '@waymark/contract';
import { adminScope, type Principal } from '@waymark/contract/principal';
import { type ControlRuleOptions, controlScopes } from './control-rule.ts';
import { createUrlMaker, metadataPath, protectedResourceRoute } from './protected-resource.ts';

/** Options of `mcpAuthorization`, besides those of the control rule. */
export interface McpAuthorizationOptions extends ControlRuleOptions {
  /** Issuers of the tokens that are taken; only those that are URLs are told to clients. */
  readonly issuers: readonly string[];
  /**
   * Challenge of a 401, as `challengeOf` or an `Authenticate` gives it: `Bearer realm="waymark"` where tokens are
   * taken.
   */
  readonly challenge: string;
  /** Path below which the control plane lies; default: `/_svc`. */
  readonly controlPrefix?: string;
  /**
   * URL at which clients reach the service, with the path that it is mounted at; default: the host that the client named.
   */
  readonly publicUrl?: string | undefined;
  /** Path at which a surrounding application has mounted the door, `/api`; default: empty. */
  readonly mountPath?: string;
  /** Gives the scopes of all tool routes, called once, for the first client that needs them; default: none. */
  readonly toolScopes?: () => readonly string[];
}

/** Where a refusal was given, and to whom. */
interface RefusedAt {
  /** Relative to the prefix. */
  readonly path: string;
  readonly host: string | undefined;
  readonly principal?: Principal | undefined;
}

/** Routes and headers that tell MCP clients how to authenticate, as `mcpAuthorization` returns them. */
export interface McpAuthorization {
  /** Public URL of the MCP endpoint; undefined where it has none. */
  readonly resource: string | undefined;
  /** Routes for the table: the metadata of the MCP endpoint as a protected resource, if an issuer is a URL. */
  readonly routes: readonly Route[];
  /**
   * Completes a 401 or 403 under the control prefix with a challenge; the `challenge` of a door. A 403 is the same on
   * every path, known or not. Only those of the MCP endpoint name its metadata.
   */
  challenge(refusal: HTTPError, at: RefusedAt): HTTPError;
  /**
   * Gives the `WWW-Authenticate` of a 403 for a tool whose scopes a caller lacks; the `stepUp` of the MCP route. Undefined
   * for callers who cannot get a token with more scopes.
   */
  stepUp(principal: Principal, needed: readonly string[], host: string | undefined): string | undefined;
  /**
   * Tells whether clients look for OAuth metadata at a path, where a page would confuse them; the `isOwnPath` of a
   * door.
   */
  isOwnPath(path: string): boolean;
}

/**
 * Makes the server side of MCP authorization (its Authorization pages, and RFC 9728): 401 and 403 answers that name the
 * realm, the scopes and, with an issuer of tokens, the metadata that leads to it.
 *
 * A 401 and the metadata name the scopes of the endpoint and of all tools, since a token for the endpoint alone would list
 * no tool and never meet a 403 (decision 13.1). A 403 names the scopes that the token has beside those it lacks, since
 * clients request what they are told and some forget what they had.
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
          ? insufficient(controlScopes(path, { mcpScopes: scopes }), leads ? principal : undefined, url)
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
