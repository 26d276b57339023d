import type { Insight } from '@waymark/contract/hub';
import { memoryInsightStore, memoryOutbox } from '@waymark/contract/memory';
import { memoryPeer, testHost, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { createMemoryBackend } from '../../src/backend/memory-backend.ts';
import { Feed } from '../../src/device/feed.ts';
import { alteredBackend } from '../altered-backend.ts';
import { png } from '../pictures.ts';

function insight(fields: Partial<Insight> = {}): Insight {
  return {
    ...{ type: 'insight', watcher: 'calm', device: 'door', agent: 'guard', seq: 1, status: 'completed' },
    ...{ output: 'Nobody.', error: null, run_id: 'r1', tokens: 12, cost_micros: 40, at_ms: 1_000 },
    ...fields,
  };
}

const report = async () => ({
  ...({ status: 'online', framesIn: 0, framesDropped: 0, bytesIn: 0, fps: 0, subscribers: 0 } as const),
});

describe('Feed', () => {
  it('lets nobody in between two frames: each is received, or told as skipped', async () => {
    verifies('hub.stream.order');
    // The turns that letting somebody in takes are an implementation's own affair, so the frames come at every one.
    for (let turns = 0; turns < 24; turns++) {
      const backend = createMemoryBackend({ keep: () => 8 });
      const publish = () => backend.publishFrame('door', { mediaType: 'image/png', bytes: png(), atMs: 0 });
      await publish();
      const feed = new Feed({ device: 'door', backend, host: testHost(), insights: async () => [], report });
      const peer = memoryPeer();
      const joined = feed.join(peer, { meta: true, replay: true, hello: () => ({ type: 'hello' }) });
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      await publish();
      await joined;
      await publish();
      const records = peer.records as readonly { readonly type: string; readonly seq?: number }[];
      const seqs = records.flatMap(({ type, seq }) => (type === 'frame' ? [seq] : []));
      expect([turns, records[0]?.type]).toEqual([turns, 'hello']);
      // From the first frame on without a gap, to the newest.
      expect(seqs.at(-1)).toBe(3);
      expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, i) => 4 - seqs.length + i));
      feed.close(1001, 'over');
      await backend.close();
    }
  });

  it('begins with the reading that came last, whatever time it shows', async () => {
    const stored = createMemoryBackend({ keep: () => 8 });
    await stored.publishTelemetry('door', { data: { celsius: 20 }, atMs: 3_600_000 });
    // Asked before, answered after the clock was set back and another reading came.
    const backend = alteredBackend(stored, {
      telemetry: async (device) => {
        const found = await stored.telemetry(device);
        await stored.publishTelemetry(device, { data: { celsius: 21 }, atMs: 1 });
        return found;
      },
    });
    const feed = new Feed({ device: 'door', backend, host: testHost(), insights: async () => [], report });
    const peer = memoryPeer();
    await feed.join(peer, { meta: true, replay: true, hello: () => ({ type: 'hello' }) });
    expect(peer.records).toEqual([{ type: 'hello' }, { type: 'telemetry', data: { celsius: 21 } }]);
    feed.close(1001, 'over');
    await stored.close();
  });

  it('lets nobody in between two insights of a run: who is greeted with the first is told the second', async () => {
    for (let turns = 0; turns < 24; turns++) {
      const backend = createMemoryBackend({ keep: () => 1 });
      const store = memoryInsightStore(memoryOutbox());
      const publish = async (fields: Partial<Insight>) => {
        await store.publish(insight(fields));
        await backend.publishInsight(insight(fields));
      };
      await publish({ run_id: '' });
      await publish({ run_id: '', output: 'Somebody.' });
      await publish({ status: 'awaiting_approval' });
      const feed = new Feed({
        ...{ device: 'door', backend, host: testHost(), report },
        insights: () => store.recent('door', 32),
      });
      const peer = memoryPeer();
      const joined = feed.join(peer, {
        ...{ meta: true, replay: true },
        hello: ({ insights }) => ({ type: 'hello', insights }),
      });
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      await publish({});
      await joined;
      const [{ insights }, ...told] = peer.records as readonly [
        { readonly insights: readonly Insight[] },
        ...Insight[],
      ];
      const statuses = insights.map(({ run_id, status }) => [run_id, status]);
      const noRun = ['', 'completed'];
      expect([turns, statuses.slice(0, 2), statuses.length]).toEqual([turns, [noRun, noRun], 3]);
      // What came last of the run is there, or is told.
      expect([insights.at(-1), ...told].at(-1)).toEqual(insight());
      expect(told.length).toBeLessThanOrEqual(1);
      feed.close(1001, 'over');
      await backend.close();
    }
  });

  it('closes whoever comes in while it closes, and leaves no timer behind', async () => {
    const backend = createMemoryBackend({ keep: () => 8 });
    const host = testHost();
    const before = host.clock.pending;
    const feed = new Feed({ device: 'door', backend, host, insights: async () => [], report });
    const peer = memoryPeer();
    const joined = feed.join(peer, { meta: false, replay: true, hello: () => ({ type: 'hello' }) });
    feed.close(1001, 'over');
    await joined;
    expect(peer.closed).toEqual({ code: 1001, reason: 'over' });
    expect(host.clock.pending).toBe(before);
    await backend.close();
  });
});
