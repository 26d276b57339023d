import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection without an HTTP client in between: every byte is the test's. */
export interface RawClient {
  readonly socket: Socket;
  /** What came so far. */
  readonly received: string;
  send(text: string | Uint8Array): void;
  /** Resolves with everything received once it fits. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves with everything received when the other side closed, however it did. */
  closed(): Promise<string>;
}

export async function rawClient(port: number): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1' });
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  // A reset is one of the ways a connection may end; `close` follows.
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return {
    socket,
    get received() {
      return received;
    },
    send: (text) => void socket.write(text),
    async until(pattern) {
      while (!pattern.test(received)) {
        if (socket.closed) throw new Error(`closed after: ${received}`);
        await Promise.race([once(socket, 'data'), ended]);
      }
      return received;
    },
    async closed() {
      await ended;
      return received;
    },
  };
}

/** Sends one request as it stands, and reads until the server closes. */
export async function rawExchange(port: number, request: string): Promise<string> {
  const client = await rawClient(port);
  client.send(request);
  return client.closed();
}
