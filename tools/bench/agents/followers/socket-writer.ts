// The least that anybody has to do: `ws` alone, which writes texts to all that are connected.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { serveParent } from '../child.ts';
import type { Ask, Used } from './told.ts';
import { used } from './used.ts';

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Each text in a turn of its own, as steps come. */
async function write(texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    for (const socket of server.clients) socket.send(text);
    await nextTurn();
  }
}

serveParent<Used>(await used(url), async (ask: Ask) => {
  if (ask !== 'look') await write(ask.write);
  return used(url);
});
