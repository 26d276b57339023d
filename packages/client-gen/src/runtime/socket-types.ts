import type { ClientOptions } from './options.ts';

/** How to reach a service that has sockets, and as whom. */
export interface SocketClientOptions extends ClientOptions {
  /** Replaces the global `WebSocket`; Node.js has one since 22. */
  readonly WebSocket?: (new (url: string) => SocketLike) | undefined;
}

/** A WebSocket as far as a client needs one; that of the platform, of `ws` and of `undici` are. */
export interface SocketLike {
  binaryType: string;
  readonly bufferedAmount: number;
  send(message: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: 'close',
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
}

/** `waiting` until the next attempt to connect; `closed` for good. */
export type SocketState = 'connecting' | 'open' | 'waiting' | 'closed';

/** What holds for every socket that is kept open. */
export interface SocketOptions {
  /** Closes it for good. */
  readonly signal?: AbortSignal | undefined;
  /** Is told of each change, and what is to blame where that is known. */
  readonly onState?: ((state: SocketState, error?: Error) => void) | undefined;
}

/** A socket was closed, and not from here. */
export class SocketError extends Error {
  override readonly name = 'SocketError';
  /** Of RFC 6455 (7.4.1), or of the service: 4000 and more. */
  readonly code: number;

  constructor(code: number, reason: string) {
    super(reason === '' ? `the socket closed with ${code}` : reason);
    this.code = code;
  }
}
