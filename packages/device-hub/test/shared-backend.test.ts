import { HTTPError } from '@waymark/contract';
import type { HubBackend, HubRecord } from '@waymark/contract/hub';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { camera, createMemoryBackend } from '../src/index.ts';
import { alteredBackend } from './altered-backend.ts';
import { png } from './pictures.ts';
import { recordsOf, serveHub } from './serve-hub.ts';

const frames = '/devices/door/frames';
const stream = '/devices/door/stream';

/** Two processes that share the state of their devices. */
async function twoHubs(shared: HubBackend = createMemoryBackend({ keep: () => 8 })) {
  const near = await serveHub([camera('door')], { backend: shared }, { newId: () => 'near' });
  const far = await serveHub([camera('door')], { backend: shared }, { newId: () => 'far' });
  const advance = async (ms: number): Promise<void> => {
    await near.host.clock.advance(ms);
    await far.host.clock.advance(ms);
  };
  return { near, far, advance };
}

describe('hubs that share a backend', () => {
  it('show what they know, and close who comes, while it is out of reach', async () => {
    verifies('scale.redis.away');
    const away = async (): Promise<never> => {
      throw new HTTPError(503, 'away');
    };
    const shared = alteredBackend(createMemoryBackend({ keep: () => 8 }), {
      ...{ newest: away, telemetry: away, reports: away },
      troubles: () => [{ code: 'gone', message: 'It is away.' }],
    });
    const { near } = await twoHubs(shared);
    await near.ask('POST', frames, { body: png() });
    expect(await near.listing()).toMatchObject([{ status: 'online', frames_in: 1, latest: null }]);
    expect(near.plugin.troubles?.()).toEqual([{ code: 'gone', message: 'It is away.' }]);
    const reader = await near.open(stream);
    await expect.poll(() => reader.closed).toMatchObject({ code: 1013, reason: 'away' });
  });

  it('are made a backend when they start, for the frames that are to be kept', async () => {
    const kept: number[] = [];
    const { near } = await twoHubs();
    const { ask } = await serveHub([camera('door', { keep: 3 })], {
      backend: async (keep) => {
        kept.push(keep('door'), keep('attic'));
        return createMemoryBackend({ keep });
      },
    });
    expect((await ask('POST', frames, { body: png() })).value).toEqual({ device: 'door', seq: 1 });
    expect([kept, await near.listing()]).toMatchObject([[3, 1], [{ frames_in: 0 }]]);
  });

  it('list the same, whoever took the frames and whoever is watched', async () => {
    verifies('hub.shared.reports');
    const { near, far, advance } = await twoHubs();
    for (const width of [1, 2]) await near.ask('POST', frames, { body: png(width, 1) });
    await near.ask('POST', frames, { body: png(3, 1) });
    const reader = await far.open(stream);
    await advance(1_000);
    const [there] = await far.listing();
    expect(there).toMatchObject({ status: 'online', frames_in: 2, frames_dropped: 1, subscribers: 1 });
    expect(await near.listing()).toEqual([there]);
    reader.disconnect();
    await advance(1_000);
    expect(await near.listing()).toMatchObject([{ subscribers: 0 }]);
  });

  it('tell their subscribers how a device is that another one hears', async () => {
    verifies('hub.shared.reports', 'hub.presence');
    const { near, far, advance } = await twoHubs();
    const reader = await far.open(stream);
    await near.ask('POST', frames, { body: png() });
    const snapshot = await far.ask('GET', '/devices/door/snapshot');
    expect(snapshot.value).toMatchObject({ seq: 1, status: 'online' });
    await advance(11_000);
    expect(recordsOf(reader, 'status').map(({ status }) => status)).toEqual(['online', 'stale']);
    expect(recordsOf(await far.open(stream), 'hello')).toMatchObject([{ status: 'stale' }]);
    // The one that heard nothing has nothing to say.
    expect(far.host.events).toEqual([]);
  });

  it('say no more of a device once they have stopped', async () => {
    const { near, far, advance } = await twoHubs();
    await near.ask('POST', frames, { body: png() });
    await near.plugin.stop?.();
    await advance(60_000);
    expect(near.host.clock.pending).toBe(0);
    expect(far.host.clock.pending).toBe(0);
  });
});

describe('a backend that is far away', () => {
  it('is listened to before a subscriber is let in', async () => {
    verifies('hub.shared.ready');
    const stored = createMemoryBackend({ keep: () => 8 });
    let listen = (): void => {};
    // Listens when the broker has said so; what is published before goes to nobody.
    const backend = alteredBackend(stored, {
      subscribe(device, listener) {
        let cancel = (): void => {};
        const ready = new Promise<void>((resolve) => {
          listen = () => {
            cancel = stored.subscribe(device, listener).cancel;
            resolve();
          };
        });
        return { ready, cancel: () => cancel() };
      },
    });
    const { ask, open } = await serveHub([camera('door')], { backend });
    await ask('POST', frames, { body: png(1, 1) });
    const opening = open(stream);
    await new Promise(setImmediate);
    await stored.publishFrame('door', { mediaType: 'image/png', bytes: png(2, 2), atMs: 0 });
    listen();
    const reader = await opening;
    await stored.publishFrame('door', { mediaType: 'image/png', bytes: png(3, 3), atMs: 0 });
    expect(recordsOf(reader, 'frame').map(({ seq }) => seq)).toEqual([2, 3]);
    expect(recordsOf(reader, 'lagged')).toEqual([]);
  });

  it('loses frames on the way, which count as skipped', async () => {
    verifies('hub.shared.gaps');
    const stored = createMemoryBackend({ keep: () => 8 });
    const lost = new Set([3, 4, 6]);
    const backend = alteredBackend(stored, {
      subscribe: (device, listener) =>
        stored.subscribe(device, (record: HubRecord) => {
          if (record.kind !== 'frame' || !lost.has(record.seq)) listener(record);
        }),
    });
    const { open } = await serveHub([camera('door')], { backend });
    const publish = async (): Promise<number> =>
      stored.publishFrame('door', { mediaType: 'image/png', bytes: png(), atMs: 0 });
    await publish();
    const reader = await open(stream);
    const silent = await open(`${stream}?replay=0`);
    for (let i = 0; i < 6; i++) await publish();
    const accounts = [reader, silent].map((peer) =>
      peer.records.flatMap((record) => {
        const { type, seq, skipped } = record as Readonly<Record<string, unknown>>;
        return type === 'frame' || type === 'lagged' ? [`${type} ${String(seq ?? skipped)}`] : [];
      }),
    );
    const live = ['frame 2', 'lagged 2', 'frame 5', 'lagged 1', 'frame 7'];
    expect(accounts).toEqual([['frame 1', ...live], live]);
  });

  it('sends nobody a frame twice that it began with', async () => {
    const stored = createMemoryBackend({ keep: () => 8 });
    let late = (): void => {};
    const backend = alteredBackend(stored, {
      subscribe: (device, listener) =>
        stored.subscribe(device, (record: HubRecord) => {
          if (record.kind === 'frame' && record.seq === 1) late = () => listener(record);
          else listener(record);
        }),
    });
    const { open } = await serveHub([camera('door')], { backend });
    const first = await open(stream);
    await stored.publishFrame('door', { mediaType: 'image/png', bytes: png(), atMs: 0 });
    const reader = await open(stream);
    late();
    await stored.publishFrame('door', { mediaType: 'image/png', bytes: png(), atMs: 0 });
    for (const peer of [first, reader])
      expect(recordsOf(peer, 'frame').map(({ seq }) => seq)).toEqual([1, 2]);
  });
});
