import { describe, expect, it, onTestFinished } from 'vitest';
import { watchCrowd } from '../test/hub-crowd.ts';
import { openReader } from '../test/hub-reader.ts';
import { serveHub } from '../test/hub-served.ts';

describe('the stream of a device', () => {
  it('is disturbed for none of 100 readers by a stalled, a slow and a far one', async () => {
    const report = await watchCrowd({ healthy: 100, seconds: 30 });
    console.log(JSON.stringify(report));
    const { before, after, together, healthyShare, slow, slowPace, farShare, heldBackFrames } = report;
    expect(together.p99).toBeLessThan(1.5 * Math.max(before.p99, after.p99) + 50);
    expect(healthyShare).toBeGreaterThan(0.95);
    expect(slow.p50 * Math.min(1, slowPace)).toBeLessThan(3 * 500);
    expect(farShare).toBeGreaterThan(0.95);
    expect(heldBackFrames).toBeLessThan(1.1);
  });

  it('takes no memory for readers that stall, and cuts them off', async () => {
    const hub = await serveHub();
    onTestFinished(() => hub.close());
    const readers = Array.from({ length: 10 }, () =>
      openReader({ port: hub.port, target: '/devices/door/stream' }),
    );
    await Promise.all(readers.map((reader) => reader.until(({ hello }) => hello !== undefined)));
    await hub.film({ bytes: 200_000, fps: 20, seconds: 2 });
    for (const reader of readers) reader.stop();
    const samples: number[] = [];
    for (let i = 0; i < 7; i++) {
      samples.push(process.memoryUsage.rss() / 1e6);
      await hub.film({ bytes: 200_000, fps: 20, seconds: 10 });
    }
    console.log(samples.map((megabytes) => `${megabytes.toFixed(1)} MB`).join(', '));
    // To send on to all of them would take 40 MB a second.
    expect(Math.max(...samples) - Math.min(...samples)).toBeLessThan(80);
    for (const reader of readers) reader.go();
    await Promise.all(readers.map((reader) => reader.until(({ gone }) => gone)));
    expect(readers.map(({ closed }) => closed)).toEqual(readers.map(() => '4008 stalled'));
  });

  it('never drifts into the past for a slow reader of small frames', async () => {
    const hub = await serveHub();
    onTestFinished(() => hub.close());
    const reader = openReader({ port: hub.port, target: '/devices/door/stream', rate: 1_000 });
    await reader.until(({ hello }) => hello !== undefined);
    for (let minute = 0; minute < 3; minute++) {
      const since = reader.frames.length;
      await hub.film({ bytes: 50_000, fps: 40, seconds: 60 });
      const ages = reader.frames.slice(since).map(({ ageMs }) => ageMs);
      const median = ages.toSorted((a, b) => a - b)[Math.floor(ages.length / 2)] ?? Number.NaN;
      console.log(`minute ${minute + 1}: ${ages.length} frames, ${median} ms old in the middle`);
      expect(median).toBeLessThan(3 * 500);
    }
  });
});
