// No HTTP at all: whatever comes is answered with the same bytes. Server and client do the same here, so that half of it is
// what the client costs.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { announce } from '../../lib/announce.ts';

const text = JSON.stringify({ name: 'tickets', version: '1.4.2', status: 'ready', region: 'eu-central' });
const answer = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
const server = createServer((socket) => {
  socket.setNoDelay(true).on('error', () => {});
  socket.setEncoding('latin1').on('data', () => socket.write(answer, 'latin1'));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
