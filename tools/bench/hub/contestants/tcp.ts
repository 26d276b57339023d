// One buffer for each frame, written to every socket: the least that any hub on node can do.
import type { Duplex } from 'node:stream';
import { encodeMessages } from '@waymark/contract/engine';
import { listening } from '../../http/listening.ts';
import { announce } from '../../lib/announce.ts';
import { frameServer } from './frame-server.ts';

const sockets = new Set<Duplex>();
const server = frameServer(({ header, bytes }) => {
  const encoded = encodeMessages([header, bytes]);
  for (const socket of sockets) socket.write(encoded.bytes);
});
server.on('upgrade', (_req, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n');
  sockets.add(socket);
  socket.on('error', () => {});
  socket.on('close', () => sockets.delete(socket));
  socket.resume();
});
announce(await listening(server));
