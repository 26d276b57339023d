import { type JsonObject, ProblemError } from './options.ts';
import { type BytesOfFetch, type Operation, send, toText } from './requests.ts';
import {
  type SocketClientOptions,
  SocketError,
  type SocketLike,
  type SocketOptions,
  type SocketState,
} from './socket-types.ts';

/** What a lasting socket is for. */
export interface SocketUse {
  readonly client: SocketClientOptions;
  readonly options: SocketOptions;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly probe: SocketProbe;
  onOpen?(): void;
  onMessage(data: unknown): void;
  /** An open connection is gone, and another one follows. */
  onBreak?(error: Error | undefined): void;
  /** Once; with an error when the service will have no more of it. */
  onEnd(error: Error | undefined): void;
}

/** A request that needs the same scopes and changes nothing: tells why a handshake failed. */
export interface SocketProbe extends Pick<Operation, 'method' | 'path'> {
  /** The service will have no more of it. */
  readonly finalStatuses: readonly number[];
  /** The service is there and lets this caller in: what opens no socket then, time and again, never does. */
  readonly fineStatus?: number;
}

export const shortestWaitMs = 500;
export const longestWaitMs = 15_000;
export const handshakeMs = 15_000;
export const noRoom = Number.POSITIVE_INFINITY;
/** Policy; and what the service says with a status of HTTP, added to 4000. An expired credential may have a successor. */
export const finalCodes = [1008, 4403, 4404];
/** Handshakes in a row that fail although the probe finds nothing wrong. */
export const refusedAtMost = 6;

/** A socket that is opened again whenever it breaks, until it is closed here or the service refuses it. */
export class LastingSocket {
  readonly #use: SocketUse;
  readonly #url: URL;
  readonly #WebSocket: new (
    url: string,
  ) => SocketLike;
  readonly #onAbort = (): void => this.close();
  #state: SocketState = 'connecting';
  #socket: SocketLike | undefined;
  #openedAtMs: number | undefined;
  #attempts = 0;
  #refused = 0;
  #paused = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(use: SocketUse) {
    const { WebSocket = globalThis.WebSocket } = use.client;
    if (!WebSocket) throw new TypeError('there is no global WebSocket here: give createClient one');
    this.#use = use;
    this.#url = toSocketUrl(use);
    this.#WebSocket = WebSocket;
    const { signal } = use.options;
    signal?.addEventListener('abort', this.#onAbort);
    if (signal?.aborted) this.close();
    else void this.#connect();
  }

  get state(): SocketState {
    return this.#state;
  }

  /** Without a connection there is never room. */
  get bufferedAmount(): number {
    return this.#state === 'open' ? (this.#socket?.bufferedAmount ?? noRoom) : noRoom;
  }

  send(message: string | BytesOfFetch): void {
    this.#socket?.send(message);
  }

  /** Something came of the connection: should it break, another one is tried soon. */
  worked(): void {
    this.#attempts = 0;
  }

  /** Gives up the connection for another one. */
  renew(error?: Error): void {
    const broke = this.#state === 'open';
    this.#detach();
    this.#retry(error);
    if (broke) this.#use.onBreak?.(error);
  }

  /** Lets go of an open connection until `resume`. */
  pause(): void {
    if (this.#state !== 'open') return;
    this.#detach();
    this.#openedAtMs = undefined;
    this.#paused = true;
    this.#become('waiting');
    this.#use.onBreak?.(undefined);
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (this.#state === 'waiting') void this.#connect();
  }

  close(error?: Error): void {
    if (this.#state === 'closed') return;
    this.#detach();
    this.#use.options.signal?.removeEventListener('abort', this.#onAbort);
    this.#become('closed', error);
    this.#use.onEnd(error);
  }

  async #connect(): Promise<void> {
    if (this.#state !== 'connecting') this.#become('connecting');
    const url = new URL(this.#url);
    try {
      const { token, apiKey } = this.#use.client;
      const credential = typeof token === 'function' ? await token() : (token ?? apiKey);
      // Browsers can set no header here.
      if (credential !== undefined)
        url.searchParams.set('access_token', toText('access_token', credential, 'query'));
    } catch (error) {
      this.#retry(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (this.#state !== 'connecting') return;
    try {
      this.#attach(new this.#WebSocket(url.href));
    } catch {
      // The error of the platform may quote the address, and with it the credential.
      this.close(new TypeError(`no WebSocket can be opened to ${this.#url.origin}${this.#url.pathname}`));
    }
  }

  #attach(socket: SocketLike): void {
    const isCurrent = (): boolean => this.#socket === socket;
    this.#socket = socket;
    this.#timer = setTimeout(() => this.renew(), handshakeMs);
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      if (!isCurrent()) return;
      clearTimeout(this.#timer);
      this.#openedAtMs = performance.now();
      this.#refused = 0;
      this.#become('open');
      this.#use.onOpen?.();
    });
    socket.addEventListener('message', ({ data }) => {
      if (isCurrent()) this.#use.onMessage(data);
    });
    socket.addEventListener('close', ({ code, reason }) => {
      if (isCurrent()) void this.#lose(code, reason);
    });
    // `close` follows and says more; `ws` wants somebody to listen.
    socket.addEventListener('error', () => {});
  }

  async #lose(code: number, reason: string): Promise<void> {
    const opened = this.#openedAtMs !== undefined;
    const socket = this.#socket;
    clearTimeout(this.#timer);
    const refusal = opened ? undefined : await this.#askWhy();
    if (this.#socket !== socket) return;
    const error = refusal ?? new SocketError(code, reason);
    if (refusal || finalCodes.includes(code)) this.close(error);
    else this.renew(error);
  }

  async #askWhy(): Promise<Error | undefined> {
    const { client, options, probe } = this.#use;
    const { finalStatuses, fineStatus, ...request } = probe;
    let status: number | undefined;
    try {
      await send(client, { ...request, timeoutMs: handshakeMs }, {}, { signal: options.signal });
    } catch (error) {
      if (error instanceof ProblemError) status = error.status;
      if (error instanceof ProblemError && finalStatuses.includes(error.status)) return error;
    }
    this.#refused = status !== undefined && status === fineStatus ? this.#refused + 1 : 0;
    if (this.#refused < refusedAtMost) return undefined;
    return new SocketError(1006, 'the service is there, but opens no socket');
  }

  #retry(error?: Error): void {
    if (this.#state === 'closed') return;
    const lasted = this.#openedAtMs === undefined ? 0 : performance.now() - this.#openedAtMs;
    this.#attempts = lasted > longestWaitMs ? 1 : this.#attempts + 1;
    this.#openedAtMs = undefined;
    this.#become('waiting', error);
    this.#timer = setTimeout(() => void this.#connect(), toWaitMs(this.#attempts));
  }

  /** What the socket says from now on is not heard. */
  #detach(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #become(state: SocketState, error?: Error): void {
    this.#state = state;
    this.#use.options.onState?.(state, error);
  }
}

/** By chance, so that not everybody comes back at once; longer each time. */
export function toWaitMs(attempts: number): number {
  const most = Math.min(longestWaitMs, shortestWaitMs * 2 ** attempts);
  return shortestWaitMs + Math.random() * (most - shortestWaitMs);
}

/** The address without the credential. */
export function toSocketUrl({ client, path, query }: SocketUse): URL {
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  const url = new URL(String(client.baseUrl).replace(/\/+$/, '') + path, location?.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** A message that is an object; a client does not mind what else there may be one day. */
export function readRecord(data: unknown): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(String(data));
    return typeof value === 'object' && value !== null ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
