import type { IncomingMessage, ServerResponse } from 'node:http';
import { anonymousScopes, apiKey, type CredentialDeclaration, type JwtOptions, jwt } from '@waymark/auth';
import {
  callSite,
  defineRoute,
  type Handler,
  type HandlerRouteOptions,
  type InputShape,
  type Method,
  type OutputShape,
  type Plugin,
  type Problem,
  type Route,
  type RouteTable,
} from '@waymark/contract';
import { type SecurityReport, toSecurityReport } from '@waymark/control-plane';
import { type StaticRouteOptions, staticRoute } from '@waymark/core-routes';
import type { CorsOptions, RateLimitOptions, SecurityHeadersOptions } from '@waymark/http';
import { checkDeclarations, compose } from './compose.ts';
import { type ApplicationOptions, type Flags, resolveSettings, type Settings } from './options.ts';
import { type Placed, type Policies, type PolicyReading, readPolicies } from './read-policies.ts';
import { securityFacts } from './security-facts.ts';
import { type RunningApplication, startApplication } from './start-application.ts';

/**
 * Middleware in express's form, as `node:http` types it. The type of a method, because those are compared both ways:
 * handlers that ask for express's own request fit too, and get one.
 */
export type Middleware = {
  handle(req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): unknown;
}['handle'];

/** Declares a handler route of one method. Options may be left out. */
export interface Shorthand {
  <const P extends string>(path: P, handler: Handler<P, Record<never, never>, undefined>): Application;
  <
    const P extends string,
    // biome-ignore lint/complexity/noBannedTypes: an empty record of schemas, not "any object"
    const I extends InputShape = {},
    const O extends OutputShape | undefined = undefined,
  >(
    path: P,
    options: HandlerRouteOptions<I, O>,
    handler: Handler<P, I, O>,
  ): Application;
}

/**
 * The fluent face of a server: each method is a thin call of a pure function of the package that owns the word, so an
 * application is a list of declarations until it listens.
 */
export interface Application {
  readonly name: string;
  readonly get: Shorthand;
  readonly post: Shorthand;
  readonly put: Shorthand;
  readonly patch: Shorthand;
  readonly delete: Shorthand;
  /** Declares a handler route of any method. */
  route<
    const P extends string,
    // biome-ignore lint/complexity/noBannedTypes: an empty record of schemas, not "any object"
    const I extends InputShape = {},
    const O extends OutputShape | undefined = undefined,
  >(method: Method, path: P, options: HandlerRouteOptions<I, O>, handler: Handler<P, I, O>): Application;
  /** Declares a constant answer, serialised at boot. */
  static(method: Method, path: string, body: unknown, options?: StaticRouteOptions): Application;
  /** Declares an API key whose secret is in the variable `env`. */
  apiKey(
    env: string,
    id: string,
    options?: { readonly scopes?: readonly string[]; readonly declaredAt?: string },
  ): Application;
  /** Takes JSON Web Tokens as `Authorization: Bearer`, verified with the secret or public key in the variable. */
  jwt(secretEnv: string, options?: JwtOptions): Application;
  /** Gives scopes to callers without a credential. */
  anonymousScopes(...scopes: readonly string[]): Application;
  /** Lists the foreign origins whose pages may call: `['https://app.example.com']`. Browsers are kept out otherwise. */
  cors(origins: readonly string[], options?: Omit<CorsOptions, 'origins'> & Placed): Application;
  /** Limits how often one caller may ask: so many requests a second in the long run (50), `burst` at once (100). */
  rateLimit(perSecond?: number, options?: Pick<RateLimitOptions, 'burst'> & Placed): Application;
  /** Changes the protective headers that every answer has. */
  securityHeaders(options: SecurityHeadersOptions & Placed): Application;
  /** Adds what another package made, or routes made with its functions. */
  add(...parts: readonly (Plugin | Route)[]): Application;
  /** Puts middleware of your own in front of everything; the table then answers from inside express, in your order. */
  use(...middleware: readonly Middleware[]): Application;
  /** All routes, the control plane's included, as they are declared so far. */
  readonly table: RouteTable;
  /** Everything wrong with the declarations, without starting anything. */
  check(): readonly Problem[];
  /** What is public, gated, limited and unsafe; the same as the security listing says. */
  security(): SecurityReport;
  /**
   * Checks everything declared, starts the plugins and listens.
   *
   * @throws {DeclarationError} with every problem at once
   */
  listen(flags?: Flags): Promise<RunningApplication>;
}

/** What has been declared, for those who compose it. */
export interface Declarations extends PolicyReading {
  readonly name: string;
  readonly settings: Settings;
  readonly routes: readonly Route[];
  readonly plugins: readonly Plugin[];
  readonly credentials: readonly CredentialDeclaration[];
  readonly middleware: readonly Middleware[];
}

/**
 * Makes an application. Nothing happens until `listen`.
 *
 *     const app = createApplication('support', { port: 8000 });
 *     app.get('/tickets/{id}', { input: { id: Type.Integer() }, tool: true }, ({ id }) => find(id));
 *     await app.listen();
 */
export function createApplication(name: string, options: ApplicationOptions = {}): Application {
  const routes: Route[] = [];
  const plugins: Plugin[] = [];
  const credentials: CredentialDeclaration[] = [];
  let policies: Policies = {};
  const middleware: Middleware[] = [];
  const declared = (flags?: Flags): Declarations => ({
    name,
    settings: resolveSettings(options, flags),
    // Copies: what is declared later is for the next server.
    routes: [...routes],
    plugins: [...plugins],
    credentials: [...credentials],
    ...readPolicies(policies),
    middleware: [...middleware],
  });
  const take = (route: Route): Application => {
    routes.push(route);
    return application;
  };
  const shorthand = (method: Method): Shorthand => {
    // One implementation for both overloads; `defineRoute` checks what arrives.
    const declare = (path: string, ...rest: readonly unknown[]): Application => {
      const [given, handler] = rest.length === 1 ? [{}, rest[0]] : rest;
      const route = defineRoute(
        method,
        path,
        { declaredAt: callSite(declare), ...(given as object) },
        handler as () => unknown,
      );
      return take(route);
    };
    return declare as Shorthand;
  };
  const application: Application = {
    name,
    get: shorthand('GET'),
    post: shorthand('POST'),
    put: shorthand('PUT'),
    patch: shorthand('PATCH'),
    delete: shorthand('DELETE'),
    route(method, path, given, handler) {
      return take(defineRoute(method, path, { declaredAt: callSite(application.route), ...given }, handler));
    },
    static(method, path, body, given = {}) {
      return take(staticRoute(method, path, body, { declaredAt: callSite(application.static), ...given }));
    },
    apiKey(env, id, given = {}) {
      credentials.push(apiKey(env, id, { declaredAt: callSite(application.apiKey), ...given }));
      return application;
    },
    jwt(secretEnv, given = {}) {
      credentials.push(jwt(secretEnv, { declaredAt: callSite(application.jwt), ...given }));
      return application;
    },
    anonymousScopes(...scopes) {
      credentials.push({ ...anonymousScopes(...scopes), declaredAt: callSite(application.anonymousScopes) });
      return application;
    },
    cors(origins, given = {}) {
      policies = { ...policies, cors: { declaredAt: callSite(application.cors), ...given, origins } };
      return application;
    },
    rateLimit(perSecond, given = {}) {
      const declaredAt = callSite(application.rateLimit);
      policies = {
        ...policies,
        rateLimit: { declaredAt, ...given, ...(perSecond !== undefined && { perSecond }) },
      };
      return application;
    },
    securityHeaders(given) {
      policies = {
        ...policies,
        securityHeaders: { declaredAt: callSite(application.securityHeaders), ...given },
      };
      return application;
    },
    add(...parts) {
      for (const part of parts) {
        if ('routes' in part) plugins.push(part);
        else routes.push(part);
      }
      return application;
    },
    use(...more) {
      middleware.push(...more);
      return application;
    },
    get table() {
      return compose(declared()).table;
    },
    check: () => checkDeclarations(declared()),
    security: () => {
      const declarations = declared();
      return toSecurityReport(securityFacts(declarations, compose(declarations).table));
    },
    listen: (flags) => startApplication(declared(flags)),
  };
  return application;
}
