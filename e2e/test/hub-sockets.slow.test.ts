import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { verifies } from '@waymark/contract/testing';
import { camera } from '@waymark/device-hub';
import { describe, expect, it } from 'vitest';
import { serveHub } from './hub-door.ts';
import { picture } from './hub-pictures.ts';
import { openSocket } from './hub-socket.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** What is still referred to. */
function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

const ws = '/devices/door/ws';
const stream = '/devices/door/stream';

describe('the ingest socket', () => {
  it('is charged to the rate of its device, not to that of requests', async () => {
    verifies('http.rate.device-sockets');
    const { url, send, listing } = await serveHub(
      [camera('door', { maxFps: 1_000 })],
      {},
      { rateLimit: { perSecond: 0.001, burst: 3 } },
    );
    const device = await openSocket(url, ws);
    await device.until('ready');
    for (let i = 1; i <= 10; i++) {
      device.send(picture());
      device.send('no JSON');
      await device.until('error');
    }
    // The upgrade was one of three.
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await send('GET', '/devices/door/telemetry')).status);
    expect(statuses).toEqual([200, 200, 429]);
    const [door] = await listing();
    expect(Number(door?.['frames_in'])).toBeGreaterThan(3);
  });
});

describe('a thousand sockets', () => {
  it('that come and go leave nothing behind', async () => {
    const { url, sockets, listing, send } = await serveHub(
      [camera('door')],
      { maxViewersPerPrincipal: 1_000 },
      { maxSocketsPerCaller: 1_000 },
    );
    await send('POST', '/devices/door/frames', picture(10_000));
    const wave = async () => {
      const opened = await Promise.all(
        Array.from({ length: 100 }, (_, i) => openSocket(url, i % 2 === 0 ? stream : ws)),
      );
      expect(sockets()).toBe(100);
      for (const socket of opened) socket.close();
      await Promise.all(opened.map(({ closed }) => closed));
      await expect.poll(sockets).toBe(0);
    };
    await wave();
    const beforeBytes = heapBytes();
    for (let i = 0; i < 9; i++) await wave();
    await expect.poll(listing).toMatchObject([{ subscribers: 0 }]);
    // Both ends live in this process. Nine hundred sockets that kept anything would keep more.
    expect(heapBytes() - beforeBytes).toBeLessThan(5 * 1_048_576);
  });
});
