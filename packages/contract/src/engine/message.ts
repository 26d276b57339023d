import type { Method } from '../route/route.ts';
import { HTTPError, type InputError, type ProblemMembers } from './http-error.ts';

/** An unread body. A dispatcher reads it after the scopes; an engine with `body: 'source'` reads it itself. */
export interface BodySource {
  readonly contentType: string | undefined;
  readonly contentLength: number | undefined;
  /** Nobody else keeps what `read` gives of a large body, so that its memory may be given back; default: false. */
  readonly exclusive?: boolean;
  /**
   * The whole body. Without a signal a reading ends when the client goes away or its request is answered.
   *
   * @throws {HTTPError} 413 over `limit` bytes, before and while reading
   */
  read(limit: number, signal?: AbortSignal): Promise<Uint8Array>;
  /**
   * The same without a promise: the receiver is told once, in the turn in which the last byte comes and in the async context
   * of whoever asked. Absent where a body comes by a way that knows promises only.
   *
   * @returns ends the reading, of which the receiver is told the reason; nothing happens once it was told
   */
  collect?(limit: number, receiver: BodyReceiver): (reason: unknown) => void;
  /** The body as it comes, without a limit of its own. At most one of `read`, `collect` and `stream`, once. */
  stream(): ReadableStream<Uint8Array>;
}

/** Who waits for a body. Either `arrived` or `failed` is called, and once; neither may throw. */
export interface BodyReceiver {
  /**
   * Is shown each piece as it comes, in their order and in whichever async context, and keeps none of them: what is refused for
   * how it begins need not come to its end.
   *
   * @throws what the reading ends with
   */
  readonly check?: ((piece: Uint8Array) => void) | undefined;
  arrived(bytes: Uint8Array): void;
  /** @param reason what `read` would reject with */
  failed(reason: unknown): void;
}

/** The caller that a handler works for, in the specification's names. */
export interface RequestUser {
  /** Of a call in a run `agent:<name>`, `behaviour:<name>` or `flow:<name>`. */
  readonly id: string;
  /** Whoever is at the start of the run; outside of runs as `id`. */
  readonly root_id: string;
  readonly authenticated: boolean;
  readonly scopes: readonly string[];
}

/**
 * The request as a handler sees it, in the specification's names. For a call by arguments it is composed on demand: the
 * path from the template, `json()` from the values.
 */
export interface RouteRequest {
  readonly id: string;
  readonly method: Method | 'HEAD';
  readonly path: string;
  /** Decoded once; null prototype. */
  readonly params: Readonly<Record<string, string>>;
  /** All names as sent, declared or not; a repeated name is a list. Null prototype. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Lower-cased names. Inside a run `idempotency-key` is the step's key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly user: RequestUser;
  readonly scopes: readonly string[];
  /** Fires at the deadline, at shutdown, and when a caller without a run goes away. */
  readonly signal: AbortSignal;
  /** The body, parsed once. @throws {HTTPError} 400 when it is not JSON */
  json(): unknown;
  /** Looks in path, then query, then the members of the JSON body. */
  get(name: string, fallback?: unknown): unknown;
  /** Reports progress; nothing happens when nobody listens. */
  progress(done: number, total?: number, message?: string): void;
}

/** The body of an answer, by kind: doors never inspect values to find out what they hold. */
export type Body =
  | { readonly kind: 'empty' }
  /** Serialised once, where the value was made: every door and every journal sees the same characters. */
  | { readonly kind: 'json'; readonly text: string }
  | ({ readonly kind: 'problem'; readonly detail: string } & ProblemMembers)
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly mediaType: string }
  | {
      readonly kind: 'stream';
      readonly stream: ReadableStream<Uint8Array>;
      readonly mediaType: string;
      readonly length?: number;
      /** The longest it may pause, milliseconds: a dispatcher says so, since nobody else knows the deadline of the route. */
      readonly pauseMs?: number;
    };

/** Headers of an answer, lower-cased names. A list of `set-cookie` is a line for each; of others it is one, with commas. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>;

/**
 * The answer to a call. A class, so that an engine can hand one through and a handler's own object with the same
 * members stays a JSON value; whoever only reads answers may pass any object of this shape.
 */
export class RouteResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Body;

  constructor(status: number, body: Body, headers: ResponseHeaders = {}) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** A JSON answer. @throws {TypeError} for values JSON cannot hold (a cycle, a BigInt) */
export function jsonResponse(value: unknown, status = 200, headers: ResponseHeaders = {}): RouteResponse {
  return new RouteResponse(status, { kind: 'json', text: JSON.stringify(value) ?? 'null' }, headers);
}

/** An error answer: what a door writes as `application/problem+json`. */
export function problemResponse(
  status: number,
  detail: string,
  members: ProblemMembers = {},
  headers: ResponseHeaders = {},
): RouteResponse {
  return new RouteResponse(status, { kind: 'problem', detail, ...members }, headers);
}

/** The answer to an error: an `HTTPError` speaks for itself, anything else is `internal error`. */
export function toErrorResponse(error: unknown): RouteResponse {
  if (!(error instanceof HTTPError)) return problemResponse(500, 'internal error');
  const { status, message, members, headers } = error;
  return Number.isInteger(status) && status >= 400 && status <= 599
    ? problemResponse(status, message, members, headers)
    : problemResponse(500, 'internal error');
}

/** The `detail` of a 422 and the text a model reads: `/id must be integer; /style is required`. */
export function toDetail(errors: readonly InputError[]): string {
  return errors.map(({ path, message }) => (path === '' ? message : `${path} ${message}`)).join('; ');
}

/**
 * One thing that happened before the answer. An event with an `id` is never left out, and a client says it to resume after
 * it: a line of text, for steps of a run `<run>/<seq>`. That of a `result` is the id of the answer, which follows.
 */
export interface Progress {
  readonly event: 'progress' | 'step' | 'delta' | 'result' | (string & {});
  /** JSON: whoever listens serialises it. */
  readonly data: unknown;
  readonly id?: string;
}
