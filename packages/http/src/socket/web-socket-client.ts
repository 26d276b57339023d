import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/** A WebSocket as far as clients need one. */
export interface ClientWebSocket {
  binaryType: string;
  readonly bufferedAmount: number;
  send(message: string | Uint8Array): void;
  close(code?: number): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: 'close',
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
}

/** A WebSocket for programs on a Node.js that has none of its own, before 22. */
export const WebSocketClient: new (url: string) => ClientWebSocket =
  // What such a function answers is what `new` makes of it.
  openWebSocket as unknown as new (
    url: string,
  ) => ClientWebSocket;

function openWebSocket(url: string): ClientWebSocket {
  const { WebSocket } = load('ws') as typeof import('ws');
  return new WebSocket(url);
}
