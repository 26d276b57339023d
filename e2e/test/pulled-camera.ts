import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { picture as blank } from './hub-pictures.ts';

/** A camera that is asked for its pictures over HTTP, and does what a test tells it. */
export interface PulledCamera {
  readonly url: string;
  /** What it was asked, in order. */
  readonly requests: readonly IncomingMessage[];
  /** Connections that are open. */
  readonly sockets: number;
  /** How it answers from now on. */
  answer: RequestListener;
}

/** Starts one on this machine, until the test is over. It answers with a new picture each time. */
export async function startCamera(answer?: RequestListener): Promise<PulledCamera> {
  const requests: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  let pictures = 0;
  const camera = {
    url: '',
    requests,
    get sockets() {
      return sockets.size;
    },
    answer: answer ?? ((_, res) => sendPicture(res, ++pictures)),
  };
  const server = createServer((req, res) => {
    requests.push(req);
    camera.answer(req, res);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  camera.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return camera;
}

/** A picture that has a number. */
export function picture(n: number, bytes = 64): Buffer {
  const png = blank(bytes);
  png.writeUInt32BE(n, 40);
  return png;
}

/** The number of a picture. */
export async function numberOf(response: Response): Promise<number> {
  return Buffer.from(await response.arrayBuffer()).readUInt32BE(40);
}

/** Answers with one. */
export function sendPicture(res: ServerResponse, n: number): void {
  res.setHeader('content-type', 'image/png').end(picture(n));
}
