import type { IncomingMessage } from 'node:http';
import type { Principal, Route, Values } from '@waymark/contract';
import { type ClientKey, toAddressKey } from './address-key.ts';
import type { Allowance } from './rate-limit.ts';
import { requestIdOf } from './request-id.ts';
import { parseTarget } from './request-target.ts';
import type { Tally } from './send.ts';
import type { ClientSide, ReadClientSide } from './trust-proxy.ts';

/** One request or upgrade on its way through the door: what is known of it so far. */
export class Visit implements ClientKey, Tally {
  readonly req: IncomingMessage;
  readonly requestId: string;
  /** As sent, without the query. */
  readonly path: string;
  /** What follows the `?`, as sent. */
  readonly search: string;
  readonly startedMs = performance.now();
  route: Route | undefined;
  principal: Principal | undefined;
  /** What the rate limit leaves to the caller, if there is one. */
  allowance: Allowance | undefined;
  /** Of the body of the answer, as far as they are known and sent. */
  bytes: number | undefined;
  /** Set once it is answered, or handed to somebody else. */
  ended = false;
  readonly #readClientSide: ReadClientSide;
  #client: ClientSide | undefined;
  #addressKey: string | undefined;

  constructor(req: IncomingMessage, newId: () => string, readClientSide: ReadClientSide) {
    this.req = req;
    this.#readClientSide = readClientSide;
    this.requestId = requestIdOf(req.headers['x-request-id'], newId);
    // Express and its kin strip the prefix a middleware is mounted at from `url`; paths of a table are whole.
    const { originalUrl = req.url ?? '/' } = req as IncomingMessage & { readonly originalUrl?: string };
    const { path, search } = parseTarget(originalUrl);
    this.path = path;
    this.search = search;
  }

  get method(): string {
    return this.req.method ?? 'GET';
  }

  /** Lower-cased names. */
  get headers(): Readonly<Record<string, string>> {
    const { headers } = this.req;
    const cookies = headers['set-cookie'];
    // The one header node keeps as a list means nothing in a request; all others are strings.
    if (cookies === undefined) return headers as Record<string, string>;
    return { ...(headers as Record<string, string>), 'set-cookie': cookies.join(', ') };
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
    this.#client ??= this.#readClientSide(this.req);
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

  sent(bytes: number): void {
    this.bytes = (this.bytes ?? 0) + bytes;
  }

  /** The line of the request log: the path, never the query (specification, Authentication 9). */
  toLogFields(status: number, aborted: boolean): Values {
    return {
      request_id: this.requestId,
      method: this.method,
      path: this.path,
      route: this.route?.name,
      status,
      principal: this.principal?.id,
      bytes: this.bytes,
      duration_ms: Math.round((performance.now() - this.startedMs) * 1000) / 1000,
      ...(aborted && { aborted }),
    };
  }
}
