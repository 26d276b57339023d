// A hub as it is written with `ws`: `ws.mjs naive` sends to everybody; `gate` holds back where something is buffered; `keeps` has
// no readers but senders, answers each frame, and keeps the last eight frames of each.
import { WebSocketServer } from 'ws';
import { listening } from '../../http/listening.ts';
import { announce } from '../../lib/announce.ts';
import { frameServer } from '../contestants/frame-server.ts';

/** The newest frame of everybody who was busy when it came. */
const slots = new Map();
const publish = process.argv[2] === 'gate' ? offer : send;
const server = frameServer((frame) => {
  for (const client of sockets.clients) publish(client, frame);
});
const sockets = new WebSocketServer({ server });
sockets.on('connection', (client) => {
  if (process.argv[2] === 'keeps') keep(client);
  client.on('error', () => {});
  client.on('close', () => slots.delete(client));
});
announce(await listening(server));

/** What `ws` hands out may be a view into the chunk that it read, which a frame that is kept would hold. */
function keep(client) {
  const frames = [];
  let seq = 0;
  client.on('message', (bytes) => {
    client.send(JSON.stringify({ type: 'receipt', seq: ++seq }));
    frames.push(bytes.buffer.byteLength > 2 * bytes.length ? Buffer.from(bytes) : bytes);
    if (frames.length > 8) frames.shift();
  });
}

function send(client, { header, bytes }) {
  client.send(header);
  client.send(bytes);
}

function offer(client, frame) {
  if (client.bufferedAmount > 0) {
    slots.set(client, frame);
    return;
  }
  client.send(frame.header);
  client.send(frame.bytes, () => {
    const next = slots.get(client);
    slots.delete(client);
    if (next) offer(client, next);
  });
}
