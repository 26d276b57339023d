import type { Route } from '@waymark/contract';
import { adminScope } from '@waymark/contract/principal';
import type { SecurityRequirement, SecurityScheme } from './document.ts';

/** Credentials that an application takes. */
export interface SecurityOptions {
  /** Takes API keys in `x-api-key`; default: false. */
  readonly apiKey?: boolean;
  /** Takes JSON Web Tokens in `Authorization: Bearer`; default: false. */
  readonly bearer?: boolean;
  /** Scopes for `/mcp` and `/tools` instead of `svc:admin`; default: `svc:admin`. */
  readonly mcpScopes?: readonly string[];
  /** Who reads the document; default: `protected`, whoever holds `svc:admin`. */
  readonly openapi?: 'public' | 'protected';
  /** Scopes of callers without credentials; default: none. */
  readonly anonymousScopes?: readonly string[];
}

/** The schemes in use; empty when no authentication is configured. */
export function toSecuritySchemes({
  apiKey = false,
  bearer = false,
}: SecurityOptions): Readonly<Record<string, SecurityScheme>> {
  return {
    ...(apiKey && {
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key.' } as const,
    }),
    ...(bearer && {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: 'A JSON Web Token.',
      } as const,
    }),
  };
}

/**
 * What a caller must show to use a route: one of the schemes, with all scopes. An empty list is a public route, an empty
 * requirement beside others one that anonymous callers have the scopes for; undefined when no authentication is configured.
 */
export function toSecurity(
  route: Route,
  options: SecurityOptions,
): readonly SecurityRequirement[] | undefined {
  const schemes = Object.keys(toSecuritySchemes(options));
  if (schemes.length === 0) return undefined;
  const scopes = neededScopes(route, options);
  const { named = false } = route.facts;
  if (scopes.length === 0 && !named) return [];
  const { anonymousScopes = [] } = options;
  const isOpen = !named && scopes.every((scope) => anonymousScopes.includes(scope));
  return [...schemes.map((scheme) => ({ [scheme]: scopes })), ...(isOpen ? [{}] : [])];
}

/** The route's scopes, and the rule of the control plane (decision 3.6). */
export function neededScopes(
  { plane, path, scopes }: Route,
  { mcpScopes = [adminScope], openapi = 'protected' }: SecurityOptions,
): readonly string[] {
  if (plane === 'data' || open.has(path) || isPage(path)) return scopes;
  if (path === '/openapi.json' && openapi === 'public') return scopes;
  const rule = path === '/mcp' || path === '/tools' ? mcpScopes : [adminScope];
  return [...new Set([...rule, ...scopes])];
}

/** What browsers sign in with is open to every credential, and health to everybody. */
const open: ReadonlySet<string> = new Set([
  '/health',
  '/session',
  '/session/end',
  '/sign-in',
  '/sign-in/style.css',
]);

/** The page of the document and the console, and what they are made of: they hold no data. */
function isPage(path: string): boolean {
  return ['/docs', '/console'].some((page) => path === page || path.startsWith(`${page}/`));
}

/** Health never requires authentication, and looks at no credential. */
export function isHealth({ plane, path }: Pick<Route, 'plane' | 'path'>): boolean {
  return plane === 'control' && path === '/health';
}
