import type {
  AgentOptions,
  BehaviourFunction,
  BehaviourOptions,
  ContextFunction,
  ContextOptions,
} from '@waymark/agents';
import type { ApiKeyOptions, IssuerOptions, JwtOptions } from '@waymark/auth';
import type {
  Handler,
  HandlerRouteOptions,
  InputShape,
  OutputShape,
  Problem,
  Route,
  RouteTable,
} from '@waymark/contract';
import type { Finding } from '@waymark/contract/declaring';
import type { Plugin } from '@waymark/contract/engine';
import type { Method } from '@waymark/contract/route';
import type { SecurityReport } from '@waymark/control-plane';
import type { StaticRouteOptions } from '@waymark/core-routes';
import type {
  DrizzleTable,
  Fields,
  MemoryOptions,
  QueryOptions,
  ResourceOptions,
  SqlDatabase,
  TableResourceOptions,
} from '@waymark/data';
import type { CameraOptions, SensorOptions } from '@waymark/device-hub';
import type { FlowOptions } from '@waymark/flows';
import type { CorsOptions, RateLimitOptions, SecurityHeadersOptions } from '@waymark/http';
import type { Aliases, ModelsOptions, PricingOptions, ProviderOptions } from '@waymark/models';
import type { NotifyOptions } from '@waymark/outbox';
import type {
  PageHandler,
  PageHandlerOptions,
  PageOptions,
  ProxyOptions,
  StaticFilesOptions,
  UpstreamOptions,
} from '@waymark/pages';
import type { WatchOptions } from '@waymark/watchers';
import type { RunningApplication } from './boot/start-application.ts';
import type { Middleware } from './declaring/middleware.ts';
import type { Placed } from './declaring/policies-feature.ts';
import type { Flags } from './options/application-options.ts';
import type { Rehearsal, RehearsalOptions } from './rehearse/rehearsal.ts';
import type { McpAccess } from './security/mcp-access.ts';
import type { Upkeep } from './upkeep/upkeep.ts';

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

/** Declares a page with a handler. Options may be left out. */
export interface PageHandlerCall {
  <const P extends string>(
    path: P,
    template: string,
    handler: PageHandler<P, Record<never, never>>,
  ): Application;
  <
    const P extends string,
    // biome-ignore lint/complexity/noBannedTypes: an empty record of schemas, not "any object"
    const I extends InputShape = {},
  >(
    path: P,
    template: string,
    options: PageHandlerOptions<I>,
    handler: PageHandler<P, I>,
  ): Application;
}

/** Declares five routes over one table: by the name and the fields, or by a drizzle table that has both. */
export interface ResourceCall {
  (name: string, fields: Fields, options?: ResourceOptions): Application;
  <T extends DrizzleTable>(table: T, options?: TableResourceOptions<T>): Application;
}

/** Declares a behaviour. The name is the function's own where none is given, and options may be left out. */
export interface BehaviourCall {
  (body: BehaviourFunction): Application;
  <const I extends InputShape | undefined = undefined>(
    options: BehaviourOptions<I>,
    body: BehaviourFunction<I>,
  ): Application;
  <const I extends InputShape | undefined = undefined>(
    name: string,
    options: BehaviourOptions<I>,
    body: BehaviourFunction<I>,
  ): Application;
}

/**
 * The words of the declaration language. Each is a row of a feature, which names the pure function of the package that
 * owns the word; a test of types holds the two lists against each other.
 */
export interface DeclarationCalls {
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
  readonly resource: ResourceCall;
  /**
   * Declares a memory: entries that every principal has for itself, behind four tools.
   *
   * @param name `memory` by default
   * @returns the names of its tools, for the `tools` of an agent
   */
  memory(name?: string, options?: MemoryOptions): readonly string[];
  /** Declares a page: a template over rows of the database, or over data. */
  page(path: string, template: string, options?: PageOptions): Application;
  /** Declares a page whose template sees what a handler returns. Options may be left out. */
  readonly pageHandler: PageHandlerCall;
  /** Serves the files of a directory below a path. */
  staticFiles(path: string, directory: string, options?: StaticFilesOptions): Application;
  /** Names another service, for proxies. */
  upstream(name: string, baseUrl: string, options?: UpstreamOptions): Application;
  /** Declares a route that an upstream answers. */
  proxy(method: Method, path: string, upstream: string, options?: ProxyOptions): Application;
  /** Declares an agent: a model that works with tools until it has an answer, at `POST /agents/<name-with-hyphens>`. */
  agent(name: string, options?: AgentOptions): Application;
  /** Declares a context provider, by statement, constant or function: what agents that name it are told once in each run. */
  context(
    name: string,
    source: ContextOptions | ContextFunction,
    more?: Pick<ContextOptions, 'description' | 'maxChars' | 'declaredAt'>,
  ): Application;
  /**
   * Declares a behaviour: a function that works with tools and models and survives its process, at
   * `POST /behaviours/<name-with-hyphens>`.
   */
  readonly behaviour: BehaviourCall;
  /** Declares a flow: steps over tools in an order that no model decides, at `POST /flows/<name-with-hyphens>`. */
  flow(name: string, options: FlowOptions): Application;
  /** Declares a camera: frames and telemetry in at `/devices/<name>`, snapshots and live streams out. */
  camera(name: string, options?: CameraOptions): Application;
  /** Declares a sensor: telemetry in, readings and a live stream out. */
  sensor(name: string, options?: SensorOptions): Application;
  /** Declares a watcher: an agent that looks at a device on a timer, and publishes what it concludes. */
  watch(name: string, options: WatchOptions): Application;
  /** Declares an API key whose secret is in the variable `env`; with `bearer: true` it may come as bearer, too. */
  apiKey(env: string, id: string, options?: ApiKeyOptions): Application;
  /** Takes JSON Web Tokens as `Authorization: Bearer`, verified with the secret or public key in the variable. */
  jwt(secretEnv: string, options?: JwtOptions): Application;
  /** The same for an issuer that publishes its keys, as Auth0, Entra, Keycloak and Okta do. */
  jwt(options: IssuerOptions): Application;
  /** Gives scopes to callers without a credential. */
  anonymousScopes(...scopes: readonly string[]): Application;
  /**
   * Lists the foreign origins whose pages may call, `['https://app.example.com']`; without it browsers refuse all of
   * them.
   */
  cors(origins: readonly string[], options?: Omit<CorsOptions, 'origins'> & Placed): Application;
  /** Limits the requests of one caller: `perSecond` in the long run (default 50), `burst` at once (default 100). */
  rateLimit(perSecond?: number, options?: Pick<RateLimitOptions, 'burst'> & Placed): Application;
  /** Changes the protective headers of every answer. */
  securityHeaders(options: SecurityHeadersOptions & Placed): Application;
  /** Declares which model an alias stands for, `{ default: 'claude-opus-5' }`, or a list of them to fall back on. */
  models(aliases: Aliases, options?: ModelsOptions): Application;
  /** Makes the models at a base URL reachable as `<name>/<model>`. */
  provider(name: string, baseUrl: string, options?: ProviderOptions): Application;
  /** Declares the price of a model, in USD for a million tokens of input and of output. */
  pricing(model: string, inputPerMtok: number, outputPerMtok: number, options?: PricingOptions): Application;
  /**
   * Declares who is told of events by webhook: `approval_requested`, `run_finished`, `device_status`, `watcher_limited`.
   */
  notify(url: string, options: NotifyOptions): Application;
}

/** Server under construction: each method adds a declaration and returns the application; `listen` starts it. */
export interface Application extends DeclarationCalls {
  readonly name: string;
  /** Adds plugins and routes that were made elsewhere. */
  add(...parts: readonly (Plugin | Route)[]): Application;
  /**
   * Adds express-style middleware in front of all routes, run in the order given; the server then answers from inside
   * express.
   */
  use(...middleware: readonly Middleware[]): Application;
  /**
   * The declared database, for handlers; it is open while the application runs.
   *
   * @throws {Error} when none is declared
   */
  readonly database: SqlDatabase;
  /** Table of all routes declared so far, the control plane's included. */
  readonly table: RouteTable;
  /**
   * Lists every problem of the declarations without starting anything: errors first, then those with
   * `severity: 'warning'`.
   */
  check(): readonly Problem[];
  /** Lists the same problems in the form for programs, and the warnings of the security report besides. */
  findings(): readonly Finding[];
  /** Gives the security report: what is public, gated, limited and unsafe, as the security listing answers it. */
  security(): SecurityReport;
  /** Tells which credential an MCP client has to send, never a secret itself; `waymark mcp-config` prints it. */
  mcpAccess(): McpAccess;
  /**
   * Puts on as much as a declared watcher needs to look at pictures and readings of yours: `waymark watch --dry-run`. Nobody
   * is called but the model, no tool is, and nothing is written to the database.
   *
   * @throws {DeclarationError} what the watcher needs is declared wrongly
   * @throws {RehearsalError} there is no such watcher or model, or its key is not set
   */
  rehearse(watcher: string, options?: RehearsalOptions): Promise<Rehearsal>;
  /** Gives what `waymark migrate`, `seed`, `backup` and `restore` work with; opens nothing by itself. */
  upkeep(): Upkeep;
  /**
   * Tells what `waymark start` keeps: how many processes, where nobody said so why not one for each CPU, where they are reached,
   * the seconds that each has to drain, and what would keep each of them from starting.
   */
  plan(flags?: Flags): {
    readonly processes: number;
    readonly because?: string | undefined;
    readonly host: string;
    readonly port: number;
    readonly shutdownTimeout: number;
    problems(): Promise<readonly Problem[]>;
  };
  /**
   * Checks everything declared, starts the plugins and listens: in this process alone.
   *
   * @throws {DeclarationError} with every problem at once
   */
  listen(flags?: Flags): Promise<RunningApplication>;
}
