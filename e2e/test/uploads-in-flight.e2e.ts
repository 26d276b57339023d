import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startProgram } from './program.ts';
import { secrets } from './served.ts';

const mb = 2 ** 20;
const size = 31 * mb;
const bytes = Buffer.alloc(size, 120);

/** An upload whose last byte does not come. */
interface Unfinished {
  readonly socket: Socket;
  readonly received: () => string;
}

function begin(port: number, key: string): Unfinished {
  const socket = connect({ port, host: '127.0.0.1' });
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  // To be cut is one of the ways in which it ends.
  socket.on('error', () => {});
  socket.write(
    `POST /pictures HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${key}\r\nContent-Length: ${size}\r\n\r\n`,
  );
  socket.write(bytes.subarray(1));
  return { socket, received: () => received };
}

describe.skipIf(process.platform !== 'linux')('40 uploads of 31 MiB by one key that never end', () => {
  it('take no more than the key may hold, and nothing from anybody else', async () => {
    verifies('http.body.in-flight.caller', 'http.body.in-flight.given-back');
    const program = startProgram('e2e/test/programs/uploads.ts', {
      cwd: import.meta.dirname,
      env: { LOG_LEVEL: 'error', SHOP_KEY: secrets.SHOP_KEY, OTHER_KEY: secrets.OTHER_KEY },
    });
    onTestFinished(() => void program.child.kill('SIGKILL'));
    const [, url = ''] = await program.saying(/url (http:\S+)\n/);
    const port = Number(new URL(url).port);
    const resident = (): number => {
      const status = readFileSync(`/proc/${program.child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    };
    const upload = async (key: string, length: number): Promise<number> => {
      const headers = { 'x-api-key': key };
      const body = bytes.subarray(0, length);
      return (await fetch(`${url}/pictures`, { method: 'POST', headers, body })).status;
    };
    const healthMs = async (): Promise<number> => {
      const startedMs = performance.now();
      expect((await fetch(`${url}/_svc/health`)).status).toBe(200);
      return performance.now() - startedMs;
    };
    expect(await upload(secrets.OTHER_KEY, mb)).toBe(200);
    const before = resident();

    const uploads = Array.from({ length: 40 }, () => begin(port, secrets.SHOP_KEY));
    const isRefused = ({ received }: Unfinished): boolean => received().startsWith('HTTP/1.1 503 ');
    let slowestMs = 0;
    await expect
      .poll(
        async () => {
          slowestMs = Math.max(slowestMs, await healthMs());
          const held = uploads.filter((one) => !isRefused(one) && one.socket.writableLength === 0);
          return [uploads.filter(isRefused).length, held.length];
        },
        { timeout: 60_000 },
      )
      .toEqual([38, 2]);
    // What was on its way has come.
    expect(await upload(secrets.OTHER_KEY, 4 * mb)).toBe(200);
    const grownMb = (resident() - before) / mb;
    console.log(`40 uploads: ${Math.round(grownMb)} MB more, health in ${Math.round(slowestMs)} ms at most`);
    expect(grownMb).toBeLessThan(100);
    expect(slowestMs).toBeLessThan(5000);
    expect(await upload(secrets.SHOP_KEY, 3 * mb)).toBe(503);
    expect(await upload(secrets.SHOP_KEY, mb)).toBe(200);

    for (const { socket } of uploads) socket.destroy();
    await expect.poll(() => upload(secrets.SHOP_KEY, size)).toBe(200);
    expect(await Promise.all([size, size].map((length) => upload(secrets.SHOP_KEY, length)))).toEqual([
      200, 200,
    ]);
  });
});
