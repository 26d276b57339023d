import type { IncomingMessage } from 'node:http';
import type { Route, Values } from '@waymark/contract';
import type { Hold } from '@waymark/contract/engine';
import { anonymous, type Principal } from '@waymark/contract/principal';
import type { RequestBody } from '../body/request-body.ts';
import { type ClientKey, toAddressKey, toCallerKey } from '../limits/address-key.ts';
import type { Guest } from '../limits/places.ts';
import type { Allowance } from '../limits/rate-limit.ts';
import type { Tally } from '../response/pump.ts';
import type { ClientSide, ReadClientSide } from '../security/trust-proxy.ts';
import { requestIdOf } from './request-id.ts';
import { parseTarget, targetHost } from './request-target.ts';
import { traceIdOf } from './trace-id.ts';

/** How a visit ended. */
export interface VisitEnd {
  readonly status: number;
  /** Its client did not get the whole answer. */
  readonly aborted: boolean;
  readonly durationMs: number;
}

/** One request or upgrade on its way through the door: what is known of it so far. */
export class Visit implements ClientKey, Guest, Tally {
  readonly req: IncomingMessage;
  readonly requestId: string;
  /** Below the place where the door is mounted, without the query. */
  readonly path: string;
  /** What follows the `?`, as sent. */
  readonly search: string;
  readonly startedMs = performance.now();
  route: Route | undefined;
  principal: Principal | undefined;
  /** The path below the control prefix, `/` for the prefix itself; undefined elsewhere. */
  control: string | undefined;
  /** The id of the session by whose cookie the caller is known. */
  session: string | undefined;
  /** The value of `set-cookie` that takes back a session which is worth nothing. */
  takesBack: string | undefined;
  /** Headers of the answer that the route shows to pages of listed origins. */
  exposes: readonly string[] | undefined;
  /** What the rate limit leaves to the caller, if there is one. */
  allowance: Allowance | undefined;
  /** Of the body of the answer, as far as they are known and sent. */
  bytes: number | undefined;
  /** Of who came in. */
  body: RequestBody | undefined;
  /** Held by an answer that may be a stream without an end. */
  place: Hold | undefined;
  /** Set once its answer was ended before its time: the caller is treated as gone. */
  cutShort = false;
  /** Set once it is answered, or handed to somebody else. */
  ended = false;
  readonly #readClientSide: ReadClientSide;
  /** The target as the client sent it, where that is another than ours. */
  readonly #sentTarget: string | undefined;
  /** Of a target in absolute form. */
  readonly #targetHost: string | undefined;
  #client: ClientSide | undefined;
  #addressKey: string | undefined;
  #callerKey: string | undefined;

  /** @param target what is looked for: express and its kin have taken the prefix that they mounted us at from `url` */
  constructor(
    req: IncomingMessage,
    newId: () => string,
    readClientSide: ReadClientSide,
    target = req.url ?? '/',
  ) {
    this.req = req;
    this.#readClientSide = readClientSide;
    this.requestId = requestIdOf(req.headers['x-request-id'], newId);
    const { path, search } = parseTarget(target);
    this.path = path;
    this.search = search;
    const { originalUrl = req.url } = req as IncomingMessage & { readonly originalUrl?: string };
    this.#sentTarget = originalUrl === target ? undefined : originalUrl;
    this.#targetHost = targetHost(originalUrl ?? target);
  }

  get method(): string {
    return this.req.method ?? 'GET';
  }

  /** Lower-cased names. `host` is that of the target where this names one: the header is ignored then. */
  get headers(): Readonly<Record<string, string>> {
    const { headers } = this.req;
    const cookies = headers['set-cookie'];
    const host = this.#targetHost;
    // The one header node keeps as a list means nothing in a request; all others are strings.
    if (cookies === undefined && host === undefined) return headers as Record<string, string>;
    return {
      ...(headers as Record<string, string>),
      ...(cookies !== undefined && { 'set-cookie': cookies.join(', ') }),
      ...(host !== undefined && { host }),
    };
  }

  /** As the client sent it, without the query: what a person looks for in a log. */
  get sentPath(): string {
    return this.#sentTarget === undefined ? this.path : parseTarget(this.#sentTarget).path;
  }

  /** The same with the query: where a browser is sent back to. */
  get sentTarget(): string {
    const { path, search } = parseTarget(this.#sentTarget ?? this.req.url ?? '/');
    return search === '' ? path : `${path}?${search}`;
  }

  get origin(): string | undefined {
    return this.req.headers.origin;
  }

  /** `Sec-Fetch-Site`. */
  get site(): string | undefined {
    return this.req.headers['sec-fetch-site'];
  }

  /** As far as trusted proxies tell; without any, what the connection shows. */
  get client(): ClientSide {
    this.#client ??= this.#readClientSide(this.req, this.headers['host']);
    return this.#client;
  }

  /** Empty where there is none: a Unix socket, or a client that is gone. */
  get clientAddress(): string {
    return this.client.address;
  }

  get https(): boolean {
    return this.client.https;
  }

  get addressKey(): string {
    this.#addressKey ??= toAddressKey(this.clientAddress);
    return this.#addressKey;
  }

  /** Asked for once it is known who the caller is. */
  get callerKey(): string {
    this.#callerKey ??= toCallerKey(this.principal ?? anonymous(), this);
    return this.#callerKey;
  }

  get accept(): string | undefined {
    return this.req.headers.accept;
  }

  /** Gives back what it holds of the budgets. */
  release(): void {
    this.body?.release();
    this.place?.release();
  }

  expired(): void {
    this.cutShort = true;
  }

  sent(bytes: number): void {
    this.bytes = (this.bytes ?? 0) + bytes;
  }

  /** The line of the request log: the path, never the query (specification, Authentication 9). */
  toLogFields({ status, aborted, durationMs }: VisitEnd): Values {
    const traceId = traceIdOf(this.req.headers['traceparent']);
    return {
      request_id: this.requestId,
      ...(traceId !== undefined && { trace_id: traceId }),
      method: this.method,
      path: this.sentPath,
      route: this.route?.name,
      status,
      principal: this.principal?.id,
      bytes: this.bytes,
      duration_ms: Math.round(durationMs * 1000) / 1000,
      ...(aborted && { aborted }),
    };
  }
}
