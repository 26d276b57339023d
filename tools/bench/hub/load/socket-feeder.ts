import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type HubAddress, keys, mostPerSecond } from '../jobs.ts';
import { deferred } from './deferred.ts';
import type { Feeder } from './feeder.ts';
import { MessageReader } from './message-reader.ts';
import { wires } from './wires.ts';

const forbidden = /^HTTP\/1\.1 (?!101)/;
/** Between the HTTP answer and the messages. */
const separator = '\r\n\r\n';

/** Connects a camera to the ingest socket of its device, with receipts: the next frame is sent once the last was taken. */
export async function connectSocketFeeder({ url }: HubAddress, device: string): Promise<Feeder> {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.setNoDelay(true);
  await once(socket, 'connect');
  const lines = [
    `GET /devices/${device}/ws?receipts=1 HTTP/1.1`,
    `host: ${host}`,
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    `x-api-key: ${keys.ingest}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (forbidden.test(answer.toString('latin1')))
    throw new Error(`the hub refused a camera: ${answer.toString()}`);
  let receipt = deferred<boolean>();
  const reader = new MessageReader(wires.websocket.readHead, 0, (kind, kept) => {
    if (kind === 'text' && kept.includes('"receipt"')) receipt.resolve(!kept.includes('"seq":null'));
  });
  reader.push(answer.subarray(answer.indexOf(separator) + separator.length));
  socket.on('data', (chunk: Buffer) => reader.push(chunk));
  socket.on('close', () => receipt.reject(new Error('the hub closed the socket of a camera')));
  let nextMs = 0;
  return {
    async send(frame) {
      for (let taken = false; !taken; ) {
        // Two within a millisecond are one too many for a rate that is a ceiling.
        await sleep(Math.max(0, nextMs - performance.now()));
        nextMs = performance.now() + 1000 / mostPerSecond;
        receipt = deferred();
        socket.cork();
        socket.write(maskedHead(frame.length));
        socket.write(frame);
        socket.uncork();
        taken = await receipt.promise;
      }
    },
    close() {
      // Nobody waits for a receipt any more.
      receipt.promise.catch(() => {});
      socket.destroy();
    },
  };
}

/** Of one binary message of a client; a mask of zeros changes nothing, and is taken off all the same (RFC 6455, 5.3). */
function maskedHead(length: number): Buffer {
  const head = Buffer.alloc(14);
  head.set([0x82, 0x80 | 127]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}
