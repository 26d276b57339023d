import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { verifies } from '@waymark/contract/testing';
import { expect, it, onTestFinished } from 'vitest';
import { endGently } from '../../src/response/end-gently.ts';

/** Connections, and what their server ends. */
async function pairs(
  count: number,
): Promise<readonly { readonly client: Socket; readonly socket: Socket }[]> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const made: { readonly client: Socket; readonly socket: Socket }[] = [];
  while (made.length < count) {
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const [socket] = (await once(server, 'connection')) as [Socket];
    made.push({ client, socket });
  }
  onTestFinished(() => {
    for (const { client, socket } of made) {
      client.destroy();
      socket.destroy();
    }
    server.close();
  });
  return made;
}

it('drops what still comes, of all connections 1 MiB in a turn of the event loop', async () => {
  verifies('http.last-answer.pace');
  const made = await pairs(20);
  const bytes = 2_000_000;
  for (const { client, socket } of made) {
    client.on('error', () => {});
    client.end(Buffer.alloc(bytes));
    client.resume();
    endGently(socket);
  }
  const read = (): number => made.reduce((sum, { socket }) => sum + socket.bytesRead, 0);
  let [most, before] = [0, 0];
  while (made.some(({ socket }) => !socket.closed)) {
    await new Promise(setImmediate);
    most = Math.max(most, read() - before);
    before = read();
  }
  expect(most).toBeGreaterThan(65_536);
  // A turn's, and two pieces that each may have read before it was told; without pace up to 2 MiB of each.
  expect(most).toBeLessThan(2 * 1_048_576 + made.length * 2 * 65_536);
});

it('tells nobody of what still comes', async () => {
  verifies('http.last-answer.pace');
  const [pair] = await pairs(1);
  if (!pair) throw new Error('a pair');
  const { client, socket } = pair;
  const heard: string[] = [];
  socket.on('data', (piece) => heard.push(String(piece)));
  socket.write('the last answer');
  endGently(socket);
  client.end('whatever');
  const told: string[] = [];
  client.on('data', (piece) => told.push(String(piece)));
  await once(socket, 'close');
  expect(heard).toEqual([]);
  expect(told.join('')).toBe('the last answer');
});

it.each([
  [16_384, false],
  [1_000_000, true],
  [4_000_000, true],
])(
  'of a client that reads while it sends, drops no more than it may: %i bytes of 16 KiB',
  async (bytes, isOver) => {
    verifies('http.last-answer.socket');
    const [pair] = await pairs(1);
    if (!pair) throw new Error('a pair');
    const { client, socket } = pair;
    client.on('error', () => {});
    let told = '';
    client.on('data', (piece) => {
      told += String(piece);
    });
    const startMs = performance.now();
    socket.write('the last answer');
    endGently(socket, 16_384);
    client.end(Buffer.alloc(bytes));
    await once(socket, 'close');
    // The piece that is too much comes on top.
    expect(socket.bytesRead).toBeLessThanOrEqual(16_384 + 65_536);
    expect(performance.now() - startMs > 900).toBe(isOver);
    expect(told).toBe('the last answer');
  },
);
