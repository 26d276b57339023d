import type { RequestListener } from 'node:http';
import { verifies } from '@waymark/contract/testing';
import { camera } from '@waymark/device-hub';
import { describe, expect, it } from 'vitest';
import { serveHub } from './hub-door.ts';
import { sendPicture, startCamera } from './pulled-camera.ts';

/** A gigabyte, as fast as it is taken. */
const gigabyte: RequestListener = (_, res) => {
  res.writeHead(200, { 'content-type': 'image/png' });
  const piece = Buffer.alloc(1_048_576);
  let left = 1_024;
  const more = (): void => {
    while (left-- > 0 && !res.destroyed && res.write(piece));
    if (left <= 0) res.end();
  };
  res.on('drain', more);
  more();
};

describe('a camera that is pulled, with the patience of a hub', () => {
  it('has ten seconds for a picture: nine are enough, a byte a second is not', {
    timeout: 40_000,
  }, async () => {
    verifies('hub.pull.bounded');
    const slow = await startCamera((_, res) => void setTimeout(() => sendPicture(res, 1), 9_000));
    const dripping = await startCamera((_, res) => {
      res.writeHead(200, { 'content-type': 'image/png', 'content-length': 1_000 });
      const timer = setInterval(() => res.write('x'), 1_000);
      res.on('close', () => clearInterval(timer));
    });
    const silent = await startCamera(() => {});
    const large = await startCamera(gigabyte);
    const hub = await serveHub([
      camera('slow', { source: slow.url }),
      camera('dripping', { source: dripping.url }),
      camera('silent', { source: silent.url }),
      camera('large', { source: large.url }),
    ]);
    const startMs = performance.now();
    const names = ['slow', 'dripping', 'silent', 'large'];
    const answers = await Promise.all(
      names.map(async (name) => {
        const response = await hub.send('GET', `/devices/${name}/latest`);
        return [response.status, Math.round((performance.now() - startMs) / 1_000)] as const;
      }),
    );
    const took = Object.fromEntries(answers.map(([, seconds], i) => [names[i] ?? '', seconds]));
    expect(answers.map(([status]) => status)).toEqual([200, 504, 504, 502]);
    for (const name of ['dripping', 'silent']) expect(took[name]).toBeLessThan(30);
    // It is not read to its end.
    expect(took['large']).toBeLessThan(9);
    for (const source of [dripping, silent, large]) await expect.poll(() => source.sockets).toBe(0);
  });
});
