import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** A server that opens every WebSocket, gives no receipts and reads nothing. */
export interface DeafServer {
  readonly url: string;
  /** Reads from now on. @returns how many bytes came, so far */
  hear(): () => number;
  close(): void;
}

/** Starts one on a free port. */
export async function deafServer(): Promise<DeafServer> {
  const sockets: Duplex[] = [];
  const server = createServer();
  server.on('upgrade', ({ headers }, socket: Duplex) => {
    const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    const lines = ['HTTP/1.1 101 Switching Protocols', 'upgrade: websocket', 'connection: Upgrade'];
    socket.write(`${[...lines, `sec-websocket-accept: ${accept}`].join('\r\n')}\r\n\r\n`);
    socket.write(textFrame('{"type":"ready","max_fps":1000}'));
    socket.pause();
    sockets.push(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hear() {
      let bytes = 0;
      for (const socket of sockets) {
        socket.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        socket.resume();
      }
      return () => bytes;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A short text message, as a server sends it. */
function textFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]);
}
