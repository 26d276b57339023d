// What is proxied: node:http with one answer.
import { createServer } from 'node:http';
import { listening } from '../../http/listening.ts';
import { announce } from '../../lib/announce.ts';
import { ticketText } from '../site.ts';

const server = createServer((_req, res) => {
  const length = Buffer.byteLength(ticketText);
  res.writeHead(200, ['content-type', 'application/json', 'content-length', String(length)]);
  res.end(ticketText);
});
server.keepAliveTimeout = 60_000;
announce(await listening(server));
