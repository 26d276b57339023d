import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { heldPort } from './held-port.ts';
import { descendants, ffmpeg, numbered, numbersOf, parentOf, startYard } from './push-yard.ts';

const lavfi = ['--input-format', 'lavfi'] as const;

/** A camera that speaks motion JPEG, to those who show a password, and hangs up after each twenty pictures. */
async function motionJpeg(
  picture: Uint8Array,
): Promise<{ readonly port: number; readonly asked: () => number }> {
  let asked = 0;
  const show = async (response: ServerResponse): Promise<void> => {
    response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=next' });
    for (let i = 0; i < 20; i++) {
      response.write(`--next\r\ncontent-type: image/jpeg\r\ncontent-length: ${picture.length}\r\n\r\n`);
      response.write(picture);
      response.write('\r\n');
      await sleep(50);
    }
    response.end();
  };
  const server = createServer(({ headers, url }, response) => {
    asked++;
    const isKnown =
      headers.authorization === `Basic ${btoa('admin:s3cret')}` && url?.includes('token=hidden');
    if (isKnown && asked % 3 !== 0) void show(response);
    else response.writeHead(asked % 3 === 0 ? 500 : 401, { 'www-authenticate': 'Basic realm="door"' }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, asked: () => asked };
}

describe.skipIf(inject('ffmpeg') === '')('waymark push', () => {
  it('sends a file at its own pace, and ends with 0 when it is over', async () => {
    verifies('cli.push', 'cli.push.sources');
    const yard = await startYard();
    const file = join(yard.folder, 'film.mp4');
    ffmpeg([
      '-f',
      'lavfi',
      '-i',
      'testsrc=duration=2:size=320x240:rate=20',
      '-f',
      'lavfi',
      '-i',
      'sine=d=2',
      file,
    ]);
    const pushed = yard.push([file, '--fps', '8', '--width', '160']);
    const seen = await yard.look();
    expect(await pushed.ended()).toBe(0);
    expect(pushed.stderr()).toBe('');
    const [, taken] = /^door: .* (\d+) taken, \d+ dropped, \d+ refused/m.exec(pushed.stdout()) ?? [];
    expect(Number(taken)).toBeGreaterThan(10);
    expect(await yard.framesIn()).toBe(Number(taken));
    const size = ffmpeg(
      ['-f', 'mjpeg', '-i', 'pipe:0', '-f', 'rawvideo', '-pix_fmt', 'gray', 'pipe:1'],
      seen.at(-1)?.bytes,
    );
    expect(size.length).toBe(160 * 120);
    const missing = yard.push(['no-such-film.mp4']);
    expect(await missing.ended()).toBe(1);
    expect(missing.stderr()).toBe('ffmpeg ended with 1: no-such-film.mp4: No such file or directory\n');
  });

  it('shows nothing old behind a break of the line of 10 s, and goes on by itself', async () => {
    verifies('cli.push.breaks');
    const yard = await startYard();
    await using line = await heldPort(yard.port);
    const seen = await yard.look();
    yard.push([numbered, ...lavfi], { url: `http://127.0.0.1:${line.port}` });
    await expect.poll(() => seen.length).toBeGreaterThan(20);
    line.hold();
    const heldMs = performance.now();
    await sleep(10_000);
    const releasedMs = performance.now();
    line.release();
    const after = () => seen.filter(({ seenMs }) => seenMs > releasedMs);
    await expect.poll(() => after().length).toBeGreaterThan(15);
    const numbers = numbersOf(seen.map(({ bytes }) => bytes));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
    const shown = seen.map(({ seenMs }, i) => ({ seenMs, filmedMs: (numbers[i] ?? 0) * 100 }));
    // When the first was filmed, as far as the quickest of them says.
    const startMs = Math.min(...shown.map(({ seenMs, filmedMs }) => seenMs - filmedMs));
    const late = shown.slice(-after().length);
    expect(Math.min(...late.map(({ filmedMs }) => startMs + filmedMs))).toBeGreaterThan(heldMs);
    expect(Math.max(...late.map(({ seenMs, filmedMs }) => seenMs - startMs - filmedMs))).toBeLessThan(
      3 * 1_000,
    );
  });

  it('begins a live source again, and says in no line how it was let in', async () => {
    verifies('cli.push.sources', 'cli.push.credentials', 'cli.no-keys');
    const yard = await startYard();
    const picture = ffmpeg([
      '-f',
      'lavfi',
      '-i',
      'testsrc=size=160x120',
      '-frames:v',
      '1',
      '-f',
      'mjpeg',
      'pipe:1',
    ]);
    const { port, asked } = await motionJpeg(picture);
    const source = `http://admin:s3cret@127.0.0.1:${port}/cam.mjpeg?token=hidden`;
    const pushed = yard.push(['--json'], { source });
    await expect.poll(asked).toBeGreaterThan(3);
    await pushed.saying(/again in 2 s/);
    expect(await yard.framesIn()).toBeGreaterThan(3);
    pushed.child.kill('SIGINT');
    expect(await pushed.ended()).toBe(0);
    const said = pushed.stdout() + pushed.stderr();
    expect(said).toContain('"type":"progress"');
    for (const secret of ['s3cret', 'hidden', 'camera-key']) expect(said).not.toContain(secret);
  });

  it.skipIf(process.platform !== 'linux')('leaves no ffmpeg behind on any signal', async () => {
    verifies('cli.push.no-child');
    const yard = await startYard();
    for (const [signal, code] of [
      ['SIGTERM', 0],
      ['SIGINT', 0],
      ['SIGHUP', 0],
      ['SIGKILL', null],
    ] as const) {
      const before = await yard.framesIn();
      const pushed = yard.push(['testsrc=size=320x240:rate=30', ...lavfi, '--fps', '30']);
      await expect.poll(() => yard.framesIn(), { message: signal }).toBeGreaterThan(before + 3);
      const below = descendants(pushed.child.pid ?? 0);
      expect(below, signal).toHaveLength(1);
      pushed.child.kill(signal);
      expect([signal, await pushed.ended()]).toEqual([signal, code]);
      const left = () => below.filter((pid) => parentOf(pid) !== undefined);
      if (signal === 'SIGKILL') await expect.poll(left).toEqual([]);
      else expect([signal, left()]).toEqual([signal, []]);
    }
  });
});
