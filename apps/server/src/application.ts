import type { IncomingMessage, ServerResponse } from 'node:http';
import { anonymousScopes, apiKey, type CredentialDeclaration, type JwtOptions, jwt } from '@waymark/auth';
import {
  callSite,
  checkOptions,
  defineRoute,
  type Fault,
  type Finding,
  type Handler,
  type HandlerRouteOptions,
  type InputShape,
  isOptions,
  type Method,
  type OutputShape,
  type Plugin,
  type Problem,
  type Route,
  type RouteTable,
  toFinding,
  toProblems,
} from '@waymark/contract';
import { type SecurityReport, toSecurityReport } from '@waymark/control-plane';
import { type StaticRouteOptions, staticRoute } from '@waymark/core-routes';
import {
  type Fields,
  type MemoryOptions,
  memory,
  type QueryOptions,
  query,
  type ResourceOptions,
  resource,
  type SqlDatabase,
  type SqlDeclaration,
} from '@waymark/data';
import type { CorsOptions, RateLimitOptions, SecurityHeadersOptions } from '@waymark/http';
import {
  type Aliases,
  type ModelDeclaration,
  type ModelsOptions,
  models,
  type PricingOptions,
  type ProviderOptions,
  pricing,
  provider,
} from '@waymark/models';
import { checkDeclarations, isError } from './check-declarations.ts';
import { type AddedPlugin, isPlugin, isRoute, noMiddleware, unknownPart } from './check-parts.ts';
import { compose } from './compose.ts';
import { type ApplicationDatabase, applicationDatabase } from './compose-data.ts';
import { type ApplicationOptions, type Flags, resolveSettings, type Settings } from './options.ts';
import { type Placed, type Policies, type PolicyReading, readPolicies } from './read-policies.ts';
import { securityFacts } from './security-facts.ts';
import { securityWarnings } from './security-warnings.ts';
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
  /** Declares a route that answers with the outcome of one SQL statement: rows, one row, or how many changed. */
  query(method: Method, path: string, sql: string, options?: QueryOptions): Application;
  /** Declares five routes over one table: list, get, create, update and delete. */
  resource(name: string, fields: Fields, options?: ResourceOptions): Application;
  /**
   * Declares a memory: entries that every principal has for itself, behind four tools.
   *
   * @param name `memory` by default
   * @returns the names of its tools, for the `tools` of an agent
   */
  memory(name?: string, options?: MemoryOptions): readonly string[];
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
  /** Says which model an alias stands for: `{ default: 'claude-opus-5' }`, or which ones, to fall back on. */
  models(aliases: Aliases, options?: ModelsOptions): Application;
  /** Makes the models at a base URL reachable as `<name>/<model>`. */
  provider(name: string, baseUrl: string, options?: ProviderOptions): Application;
  /** Says what a model costs, in USD for a million tokens of input and of output. */
  pricing(model: string, inputPerMtok: number, outputPerMtok: number, options?: PricingOptions): Application;
  /** Adds what another package made, or routes made with its functions. */
  add(...parts: readonly (Plugin | Route)[]): Application;
  /** Puts middleware of your own in front of everything; the table then answers from inside express, in your order. */
  use(...middleware: readonly Middleware[]): Application;
  /**
   * The declared database, for handlers; it is open while the application runs.
   *
   * @throws {Error} when none is declared
   */
  readonly database: SqlDatabase;
  /** All routes, the control plane's included, as they are declared so far. */
  readonly table: RouteTable;
  /** Everything wrong with the declarations, without starting anything; then, with `severity: 'warning'`, what is odd. */
  check(): readonly Problem[];
  /** The same as programs read it, and what the security report warns about besides. */
  findings(): readonly Finding[];
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
  readonly addedPlugins: readonly AddedPlugin[];
  readonly credentials: readonly CredentialDeclaration[];
  readonly models: readonly ModelDeclaration[];
  readonly data: readonly SqlDeclaration[];
  readonly database: ApplicationDatabase;
  readonly middleware: readonly Middleware[];
  /** What is wrong with the calls themselves: arguments of another type, as JavaScript can pass them. */
  readonly callProblems: readonly Problem[];
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
  const plugins: AddedPlugin[] = [];
  const credentials: CredentialDeclaration[] = [];
  const modelDeclarations: ModelDeclaration[] = [];
  const dataDeclarations: SqlDeclaration[] = [];
  let policies: Policies = {};
  const middleware: Middleware[] = [];
  const callProblems: Problem[] = [];
  const site = callSite(createApplication);
  let database: ApplicationDatabase | undefined;
  const databaseOf = (settings: Settings): ApplicationDatabase => {
    // One for all servers of the application: its handlers hold it.
    if (database?.url !== settings.database || !database) database = applicationDatabase(settings);
    return database;
  };
  const declared = (flags?: Flags): Declarations => {
    const settings = resolveSettings(options, flags, site);
    return {
      name,
      settings,
      database: databaseOf(settings),
      // Copies: what is declared later is for the next server.
      routes: [...routes],
      plugins: plugins.map(({ plugin }) => plugin),
      addedPlugins: [...plugins],
      credentials: [...credentials],
      models: [...modelDeclarations],
      data: [...dataDeclarations],
      ...readPolicies(policies),
      middleware: [...middleware],
      callProblems: [...callProblems],
    };
  };
  const refuse = (declaration: string, at: string, faults: readonly Fault[]): void => {
    callProblems.push(...toProblems(declaration, at, faults));
  };
  const placed = <T extends object>(declaration: string, declaredAt: string, given: T): T & Placed => {
    if (isOptions(given)) return { declaredAt, ...given };
    if (given !== undefined) refuse(declaration, declaredAt, checkOptions(given, {}));
    // Nothing but an object can hold what T asks for, and all of that is optional.
    return { declaredAt } as T & Placed;
  };
  const take = (route: Route): Application => {
    routes.push(route);
    return application;
  };
  const toHandlerRoute = (
    method: Method,
    path: string,
    given: unknown,
    handler: unknown,
    at: string,
  ): Route => {
    // A function in the place of the options is the handler, and the route says that it comes last.
    const options = typeof given === 'function' ? {} : (given as object);
    return defineRoute(
      method,
      path,
      placed(`route ${method} ${path}`, at, options),
      handler as () => unknown,
    );
  };
  const shorthand = (method: Method): Shorthand => {
    // One implementation for both overloads; `defineRoute` checks what arrives.
    const declare = (path: string, ...rest: readonly unknown[]): Application => {
      const [given, handler] = rest.length === 1 ? [{}, rest[0]] : rest;
      return take(toHandlerRoute(method, path, given, handler, callSite(declare)));
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
      return take(toHandlerRoute(method, path, given, handler, callSite(application.route)));
    },
    static(method, path, body, given = {}) {
      const site = callSite(application.static);
      return take(staticRoute(method, path, body, placed(`route ${method} ${path}`, site, given)));
    },
    query(method, path, sql, given = {}) {
      const options = placed(`query ${method} ${path}`, callSite(application.query), given);
      dataDeclarations.push(query(method, path, sql, options));
      return application;
    },
    resource(name, fields, given = {}) {
      const options = placed(`resource "${name}"`, callSite(application.resource), given);
      dataDeclarations.push(resource(name, fields, options));
      return application;
    },
    memory(name = 'memory', given = {}) {
      const declaration = memory(name, placed(`memory "${name}"`, callSite(application.memory), given));
      dataDeclarations.push(declaration);
      return declaration.tools;
    },
    apiKey(env, id, given = {}) {
      credentials.push(apiKey(env, id, placed(`apiKey "${id}"`, callSite(application.apiKey), given)));
      return application;
    },
    jwt(secretEnv, given = {}) {
      credentials.push(jwt(secretEnv, placed('jwt', callSite(application.jwt), given)));
      return application;
    },
    anonymousScopes(...scopes) {
      credentials.push({ ...anonymousScopes(...scopes), declaredAt: callSite(application.anonymousScopes) });
      return application;
    },
    cors(origins, given = {}) {
      policies = { ...policies, cors: { ...placed('cors', callSite(application.cors), given), origins } };
      return application;
    },
    rateLimit(perSecond, given = {}) {
      const options = placed('rateLimit', callSite(application.rateLimit), given);
      policies = { ...policies, rateLimit: { ...options, ...(perSecond !== undefined && { perSecond }) } };
      return application;
    },
    securityHeaders(given) {
      const site = callSite(application.securityHeaders);
      policies = { ...policies, securityHeaders: placed('securityHeaders', site, given) };
      return application;
    },
    models(aliases, given = {}) {
      modelDeclarations.push(models(aliases, placed('models', callSite(application.models), given)));
      return application;
    },
    provider(name, baseUrl, given = {}) {
      const options = placed(`provider "${name}"`, callSite(application.provider), given);
      modelDeclarations.push(provider(name, baseUrl, options));
      return application;
    },
    pricing(model, inputPerMtok, outputPerMtok, given = {}) {
      const options = placed(`pricing "${model}"`, callSite(application.pricing), given);
      modelDeclarations.push(pricing(model, inputPerMtok, outputPerMtok, options));
      return application;
    },
    add(...parts) {
      for (const part of parts) {
        if (isRoute(part)) routes.push(part);
        else if (isPlugin(part)) plugins.push({ plugin: part, declaredAt: callSite(application.add) });
        else refuse('add', callSite(application.add), [unknownPart(part)]);
      }
      return application;
    },
    use(...more) {
      for (const one of more) {
        if (typeof one === 'function') middleware.push(one);
        else refuse('use', callSite(application.use), [noMiddleware(one)]);
      }
      return application;
    },
    get database() {
      const { database: found } = declared().database;
      if (found) return found;
      throw new Error("the application has no database: write database: 'sqlite://app.db'");
    },
    get table() {
      return compose(declared()).table;
    },
    check: () => checkDeclarations(declared()),
    findings() {
      const declarations = declared();
      const composition = compose(declarations);
      const problems = checkDeclarations(declarations, composition);
      // What is open is said of what can be served.
      const more = problems.some(isError) ? [] : securityWarnings(declarations, composition.table, problems);
      return [...problems.map(toFinding), ...more];
    },
    security: () => {
      const declarations = declared();
      return toSecurityReport(securityFacts(declarations, compose(declarations).table));
    },
    listen: (flags) => startApplication(declared(flags)),
  };
  return application;
}
