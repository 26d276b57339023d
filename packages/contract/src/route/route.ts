import type { Problem } from '../declaring/declaration-error.ts';
import type { Engine } from '../engine/engine.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';
import type { Place } from './place.ts';
import type { RouteFacts } from './route-facts.ts';

/** The methods a route can be declared with. HEAD follows GET, OPTIONS is answered from the table. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The kinds of this product. */
type OwnEngineKind =
  | 'handler'
  | 'static'
  | 'query'
  | 'resource'
  | 'memory'
  | 'page'
  | 'files'
  | 'proxy'
  | 'agent'
  | 'behaviour'
  | 'flow'
  | 'device'
  | 'control';

/**
 * A word for what computes the answers of a route, which listings show (decision 10.1). Packages of others may have
 * words of their own: what follows from an engine stands in the facts of its routes.
 */
export type EngineKind = OwnEngineKind | (string & Record<never, never>);

/** The rule for who of those who hold `svc:admin` may decide on a gated call, and until when. */
export interface Approver {
  /** Needed to decide, besides `svc:admin`; none. */
  readonly scope?: string;
  /** Refuses whoever started the run, forked or retried it, or one that it is a fork of; false. */
  readonly fourEyes?: boolean;
  /** Milliseconds after which the request counts as declined; 24 hours when absent. */
  readonly expiresMs?: number;
}

/**
 * The number of times that a run makes a call of a route which fails in a way that passes: 429, 502, 503 and 504, with the
 * same idempotency key each time. A request from outside is never repeated.
 */
export interface Retry {
  /** In all, the first one included; 1 to 10. */
  readonly attempts: number;
  /**
   * Milliseconds before the second one, 1 to 60,000; 500. Doubled each time up to a minute, and down to half of that at
   * random. An answer whose `Retry-After` asks for more is given it, up to a minute, too.
   */
  readonly backoffMs?: number;
}

/** `any` worker process may answer, or only the one that owns devices, runs and writes. */
export type Placement = 'any' | 'owner';

/** The options every route-declaring call takes. Hints default by method, texts to the docstring, limits to the application's. */
export interface RouteOptions {
  /** Expose the route as an agent tool; false. */
  readonly tool?: boolean;
  /** Replaces the name derived from method and path: tool, operationId, client method. */
  readonly toolName?: string;
  /** All needed to reach the route at all; none. */
  readonly scopes?: readonly string[];
  /** `required` gates calls made by runs and refuses direct calls over MCP; `never`. */
  readonly approval?: 'never' | 'required';
  /**
   * Who decides on a gated call, and until when: `{ scope?, fourEyes?, expiresMs? }`. Whoever decides needs `scope` besides
   * `svc:admin`; none. `fourEyes` refuses whoever started, forked or retried the run; false. After `expiresMs` milliseconds
   * the question counts as declined; 24 hours.
   */
  readonly approver?: Approver;
  /** Changes nothing, so a run may call it beside others and again; true for GET. */
  readonly readOnly?: boolean;
  /** Twice is as once, so a run may call it again after a crash; true for GET, PUT and DELETE. */
  readonly idempotent?: boolean;
  /** Takes something away, as MCP clients are told; true for DELETE. */
  readonly destructive?: boolean;
  /** The tool's description; the handler's docstring, else `METHOD path`. */
  readonly summary?: string;
  /** Long text for OpenAPI only. */
  readonly description?: string;
  /**
   * The day since when another route should be used instead, `2026-11-20` in UTC: answers carry `Deprecation`, and
   * document and client say so. `description` is the place to name the other route.
   */
  readonly deprecated?: string;
  /** `bytes`: takes a body of any type as `request.body`, and says so in its descriptions. Else by parameters. */
  readonly body?: BodyForm;
  /** 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Items and members of a JSON body, however deep, and the body itself; the application's, which is 100,000. */
  readonly maxBodyValues?: number;
  /** To the first byte of the answer, then the longest pause of a stream. The application's `requestTimeout` or `agentTimeout`. */
  readonly timeoutMs?: number;
  /** Refuse query names that are not declared (422); the application's `strictQuery`. */
  readonly strictQuery?: boolean;
  /** On routes that may be done twice: read-only, idempotent, or in one transaction with their record; never. */
  readonly retry?: Retry;
  /** Which of several processes answers: `any`, or `owner`, the one that owns devices, runs and writes; `any`. */
  readonly placement?: Placement;
  /** `file:line` for messages. Found by itself; a function that wraps a declaration call passes its caller's. */
  readonly declaredAt?: string;
}

/** One parameter after normalising: what binding, tools, OpenAPI and the client read. */
export interface Parameter {
  readonly name: string;
  readonly place: Place;
  /** JSON Schema. */
  readonly schema: object;
  readonly required: boolean;
  /** The library that validates it instead of the JSON Schema, which then is a description. */
  readonly standard?: StandardSchema;
}

/**
 * The way in which the body of a request arrives: not at all, parsed, as bytes (at most `maxBodyBytes`), or unread.
 * `any` is what a route that declares no body gets: bytes too, for a handler that looks, but no description speaks of
 * them.
 */
export type BodyForm = 'none' | 'any' | 'json' | 'bytes' | 'source';

/**
 * Headers that pages of listed origins need of a route besides those that `cors` gives them everywhere. Lower-cased
 * names.
 */
export interface RouteCors {
  /** Request headers; a name that ends with `*` stands for all that begin so. */
  readonly headers: readonly string[];
  /** Response headers that scripts may read. */
  readonly expose: readonly string[];
}

/** One row of the table: plain readonly data, and the engine. Everything else in the product is a projection of it. */
export interface Route {
  /** Unique in a table: tool name, operationId, client method, and the address of a stored call. */
  readonly name: string;
  readonly method: Method;
  /** With `plane: 'control'` relative to the control prefix, which only the composer of the table knows. */
  readonly path: string;
  readonly plane: 'data' | 'control';
  readonly placement: Placement;
  /** Answers upgrades only. May share its path with a route that is not a socket. */
  readonly socket: boolean;

  readonly parameters: readonly Parameter[];
  /**
   * The tool's input schema: the raw one, or composed from `parameters`. A text with a pattern and without `maxLength` has
   * 1,024.
   */
  readonly inputSchema: object;
  /** The library's schema for the whole input, where one was given: it validates all parameters together. */
  readonly standard?: StandardSchema;
  /** Refuses unknown body members and arguments (422). False where any object is input: proxies, pages, free-form behaviours. */
  readonly strict: boolean;
  /** Undefined: the dispatcher's default. */
  readonly strictQuery: boolean | undefined;
  readonly body: BodyForm;
  /** Of a socket: one message. */
  readonly maxBodyBytes: number;
  /** Undefined: the application's, which the table knows (`RouteTable.maxBodyValuesOf`). */
  readonly maxBodyValues: number | undefined;
  readonly output: Readonly<Record<number, object>>;
  /** Reports progress: HTTP may answer `text/event-stream` when asked, MCP may send notifications. */
  readonly progress: boolean;
  /** Undefined: the application's, which the table knows (`RouteTable.timeoutOf`). */
  readonly timeoutMs: number | undefined;
  readonly retry: Required<Retry> | undefined;
  readonly cors: RouteCors | undefined;

  readonly tool: boolean;
  readonly scopes: readonly string[];
  readonly approval: 'never' | 'required';
  readonly approver: Approver;
  readonly readOnly: boolean;
  readonly idempotent: boolean;
  readonly destructive: boolean;
  readonly summary: string;
  readonly description: string;
  /** A day in UTC, `2026-11-20`. */
  readonly deprecated: string | undefined;
  readonly declaredAt: string;
  readonly engine: Engine;
  /** What documents and clients say of it that follows from nothing else. */
  readonly facts: RouteFacts;
  /** What is wrong with the declaration. A table with any does not freeze. */
  readonly problems: readonly Problem[];
}
