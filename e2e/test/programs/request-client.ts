// The client of `request-costs.ts`, in a thread of its own, and so with a heap and promises of its own: sends what it is told
// over one connection, a request behind the answer to the one before.
import { once } from 'node:events';
import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const { port } = workerData as { readonly port: number };
const socket = connect(port, '127.0.0.1').setNoDelay(true);
await once(socket, 'connect');

let request = '';
let left = 0;
let got = '';

socket.on('data', (chunk: Buffer) => {
  got += chunk.toString('latin1');
  const head = got.indexOf('\r\n\r\n');
  const length = Number(/content-length: (\d+)/.exec(got)?.[1] ?? 0);
  if (head === -1 || got.length < head + 4 + length) return;
  if (!/^HTTP\/1.1 20[01] /.test(got)) throw new Error(got);
  if (--left > 0) send();
  else parentPort?.postMessage(got.slice(head + 4));
});

function send(): void {
  got = '';
  socket.write(request);
}

parentPort?.on('message', (told: { readonly request: string; readonly times: number }) => {
  request = told.request;
  left = told.times;
  send();
});
parentPort?.postMessage('connected');
