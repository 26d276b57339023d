import type { IncomingMessage } from 'node:http';
import type { Principal, Route, Values } from '@waymark/contract';
import { requestIdOf } from './request-id.ts';
import { parseTarget } from './request-target.ts';

/** One request or upgrade on its way through the door: what is known of it so far. */
export class Visit {
  readonly req: IncomingMessage;
  readonly requestId: string;
  /** As sent, without the query. */
  readonly path: string;
  /** What follows the `?`, as sent. */
  readonly search: string;
  readonly startedMs = performance.now();
  route: Route | undefined;
  principal: Principal | undefined;
  /** Set once it is answered, or handed to somebody else. */
  ended = false;

  constructor(req: IncomingMessage, newId: () => string) {
    this.req = req;
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

  /** Empty where there is none: a Unix socket, or a client that is gone. */
  get clientAddress(): string {
    const address = this.req.socket.remoteAddress ?? '';
    // Dual-stack sockets report IPv4 peers as IPv6.
    return address.startsWith('::ffff:') ? address.slice(7) : address;
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
      duration_ms: Math.round((performance.now() - this.startedMs) * 1000) / 1000,
      ...(aborted && { aborted }),
    };
  }
}
