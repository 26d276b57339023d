import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { byTier } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { picture } from './hub-pictures.ts';
import { type Program, startProgram } from './program.ts';
import { handshakeLines, rawRequest } from './raw-client.ts';

/** What the system lets a process have open, but for what it has open already. */
const limit = Number(execFileSync('sh', ['-c', 'ulimit -n']).toString()) - 200;
/** `READERS=20000` tries as many as a process usually may have open; every crowd takes its time. */
const wished = Number(process.env['READERS'] ?? byTier({ quick: 2_000, slow: 2_000, drill: 8_000 }));
const count = Math.min(wished, Number.isNaN(limit) ? wished : limit);

interface Reader {
  readonly socket: Socket;
  bytes: number;
}

/** Connects one, from one of several addresses: each has only so many ports. */
async function open(port: number, i: number): Promise<Reader> {
  const localAddress = `127.0.0.${2 + (i % 8)}`;
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  const reader = { socket, bytes: 0 };
  socket.on('error', () => {});
  socket.write(rawRequest('GET', '/devices/door/stream?frames=meta', handshakeLines));
  const [first] = await once(socket, 'data');
  expect(String(first).slice(0, 12)).toBe('HTTP/1.1 101');
  socket.on('data', ({ length }: Buffer) => {
    reader.bytes += length;
  });
  return reader;
}

async function openAll(port: number, wanted = count): Promise<readonly Reader[]> {
  const readers: Reader[] = [];
  // No more at a time than the system queues up.
  while (readers.length < wanted) {
    const some = Math.min(500, wanted - readers.length);
    readers.push(
      ...(await Promise.all(Array.from({ length: some }, (_, i) => open(port, readers.length + i)))),
    );
  }
  return readers;
}

/** Asks the program what it holds. */
async function tell({ child, stdout }: Program): Promise<{ sockets: number; heap: number }> {
  const before = stdout().length;
  child.kill('SIGUSR2');
  await expect.poll(() => /sockets .+\n/.test(stdout().slice(before))).toBe(true);
  const [, sockets, heap] = /sockets (\d+) heap (\d+)/.exec(stdout().slice(before)) ?? [];
  return { sockets: Number(sockets), heap: Number(heap) };
}

describe('a hub', () => {
  it(`has room for ${count} readers, keeps nothing of them, and ends in time with as many`, async () => {
    const program = startProgram('e2e/test/programs/hub.ts', {
      cwd: import.meta.dirname,
      env: { NODE_OPTIONS: '--expose-gc' },
    });
    onTestFinished(() => void program.child.kill('SIGKILL'));
    const port = Number((await program.saying(/port (\d+)/))[1]);
    const post = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/devices/door/frames`, {
        method: 'POST',
        body: new Uint8Array(picture()),
      });
      expect(answer.status).toBe(202);
    };
    await post();
    // Code is compiled and pools grow with the first crowd.
    for (const { socket } of await openAll(port, Math.min(1_000, count))) socket.destroy();
    await expect.poll(async () => (await tell(program)).sockets, { timeout: 60_000 }).toBe(0);
    const before = await tell(program);
    const readers = await openAll(port);
    const full = await tell(program);
    expect(full.sockets).toBe(count);
    const beforeFrame = readers.map(({ bytes }) => bytes);
    await post();
    await expect.poll(() => readers.every(({ bytes }, i) => bytes > (beforeFrame[i] ?? 0))).toBe(true);
    for (const { socket } of readers) socket.destroy();
    await expect.poll(async () => (await tell(program)).sockets, { timeout: 60_000 }).toBe(0);
    const after = await tell(program);
    expect((full.heap - before.heap) / count).toBeLessThan(20_000);
    expect((after.heap - before.heap) / count).toBeLessThan(200);
    // They answer no closing handshake.
    const deaf = await openAll(port);
    const stopMs = performance.now();
    program.child.kill('SIGTERM');
    expect(await program.ended()).toBe(0);
    expect(performance.now() - stopMs).toBeLessThan(26_000);
    await expect.poll(() => deaf.every(({ socket }) => socket.closed)).toBe(true);
  }, 300_000);
});
