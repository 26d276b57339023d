import { setTimeout as wait } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type HubReader, openReader } from './hub-reader.ts';
import { type ServedHub, serveHub } from './hub-served.ts';

async function served(): Promise<ServedHub> {
  const hub = await serveHub();
  onTestFinished(() => hub.close());
  return hub;
}

async function watching({ port }: ServedHub, query = ''): Promise<HubReader> {
  const reader = openReader({ port, target: `/devices/door/stream${query}` });
  onTestFinished(() => reader.vanish());
  await reader.until(({ hello }) => hello !== undefined);
  return reader;
}

describe('the stream of a device', () => {
  it('brings every frame whole, and headers alone to whoever wants no more', async () => {
    verifies('event.stream.frame', 'event.stream.frame-meta', 'hub.stream.meta');
    const hub = await served();
    const [full, meta] = [await watching(hub), await watching(hub, '?frames=meta')];
    for (const bytes of [1, 125, 126, 65_535, 65_536, 3_000_000]) {
      await hub.frame(bytes);
      await full.until(({ frames }) => frames.at(-1)?.seq === hub.published);
    }
    await meta.until(({ frames }) => frames.length === 6);
    expect(full.frames.map(({ seq, bytes }) => [seq, bytes])).toEqual([
      [1, 1],
      [2, 125],
      [3, 126],
      [4, 65_535],
      [5, 65_536],
      [6, 3_000_000],
    ]);
    expect(meta.frames.map(({ seq, bytes }) => [seq, bytes])).toEqual(
      [1, 2, 3, 4, 5, 6].map((seq) => [seq, undefined]),
    );
  });

  it('is the newest again at once after a stall: of what came meanwhile only what was on its way arrives', async () => {
    verifies('hub.fan-out.after-stall', 'event.stream.never-buffered');
    const hub = await served();
    const reader = await watching(hub);
    await hub.film({ bytes: 200_000, fps: 20, seconds: 1 });
    reader.stop();
    const stalledMs = Date.now();
    await hub.film({ bytes: 200_000, fps: 20, seconds: 4 });
    const wokeMs = Date.now();
    const seen = reader.frames.length;
    reader.go();
    await hub.film({ bytes: 200_000, fps: 20, seconds: 1 });
    await reader.until(({ frames }) => frames.at(-1)?.seq === hub.published);
    const late = reader.frames.slice(seen).filter(({ publishedMs }) => publishedMs < wokeMs - 1_000);
    expect(late.filter(({ publishedMs }) => publishedMs > stalledMs + 1_500)).toEqual([]);
    expect(reader.told).toBeGreaterThan(40);
    expect(reader.frames.length + reader.told).toBe(hub.published);
  });

  it('leaves out no insight, however slow a reader is, and counts none as skipped', async () => {
    verifies('event.insight.stream');
    const hub = await served();
    const reader = await watching(hub);
    await hub.film({ bytes: 200_000, fps: 20, seconds: 1 });
    reader.stop();
    const filmed = hub.film({ bytes: 200_000, fps: 20, seconds: 4 });
    const runs = Array.from({ length: 30 }, (_, i) => `r${i}`);
    for (const run of runs) {
      await wait(100);
      await hub.insight(run, 'x'.repeat(20_000));
    }
    await filmed;
    reader.go();
    await hub.film({ bytes: 200_000, fps: 20, seconds: 1 });
    await reader.until(({ frames }) => frames.at(-1)?.seq === hub.published);
    expect(reader.insights).toEqual(runs);
    expect(reader.told).toBeGreaterThan(40);
    expect(reader.frames.length + reader.told).toBe(hub.published);
  });
});
