import type { Insight } from '@waymark/contract/hub';
import { anonymous } from '@waymark/contract/principal';
import { memoryPeer } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { camera, createMemoryBackend, sensor } from '../../src/index.ts';
import { alteredBackend } from '../altered-backend.ts';
import { png } from '../pictures.ts';
import { ada, recordsOf, serveHub } from '../serve-hub.ts';

const stream = '/devices/door/stream';
const frames = '/devices/door/frames';
const boot = '00000000000000000000000001';

function insight(fields: Partial<Insight> = {}): Insight {
  return {
    ...{ type: 'insight', watcher: 'calm', device: 'door', agent: 'guard', seq: 1, status: 'completed' },
    ...{ output: 'Nobody.', error: null, run_id: 'r1', tokens: 12, cost_micros: 40, at_ms: 1_000 },
    ...fields,
  };
}

/** The types of what was sent, bytes as `bytes`. */
function typesOf(records: readonly unknown[]): readonly unknown[] {
  return records.map((record) => (record instanceof Uint8Array ? 'bytes' : Object(record).type));
}

describe('the stream of a device', () => {
  it('greets with the device, its insights, boot, status, number and rate', async () => {
    const { open, host } = await serveHub([camera('door', { description: 'the front door', maxFps: 5 })]);
    await host.stores.insights.publish(insight());
    expect((await open(stream)).records).toEqual([
      {
        type: 'hello',
        device: {
          ...{ name: 'door', kind: 'camera', description: 'the front door', max_fps: 5 },
          pulled: false,
        },
        insights: [insight()],
        ...{ boot, status: 'offline', seq: null, age_ms: null, fps: 0 },
      },
    ]);
  });

  it('then sends the newest frame and reading, then what is live', async () => {
    const { ask, open, host } = await serveHub([camera('door')]);
    await ask('POST', frames, { body: png(1, 1) });
    await ask('POST', frames, { body: png(2, 2) });
    await ask('POST', '/devices/door/telemetry', { body: '{"lux":3}' });
    await host.clock.advance(100);
    const peer = await open(stream);
    expect(typesOf(peer.records)).toEqual(['hello', 'frame', 'bytes', 'telemetry']);
    expect(peer.records[0]).toMatchObject({ status: 'online', seq: 2, age_ms: 100, fps: 2 });
    expect(peer.records[1]).toMatchObject({ seq: 2 });
    await ask('POST', '/devices/door/telemetry', { body: '{"lux":4}' });
    await ask('POST', frames, { body: png(3, 3) });
    expect(peer.records.slice(4)).toMatchObject([
      { type: 'telemetry', data: { lux: 4 } },
      { type: 'frame', seq: 3 },
      png(3, 3),
    ]);
  });

  it('begins with what is live for `replay=0`', async () => {
    const { ask, open } = await serveHub([camera('door')]);
    await ask('POST', frames, { body: png() });
    await ask('POST', '/devices/door/telemetry', { body: '{}' });
    const peer = await open(`${stream}?replay=0`);
    expect(peer.records).toMatchObject([{ type: 'hello', seq: 1 }]);
    await ask('POST', frames, { body: png() });
    expect(recordsOf(peer, 'frame')).toMatchObject([{ seq: 2 }]);
    expect(recordsOf(await open(`${stream}?replay=1`), 'frame')).toHaveLength(1);
  });

  it('sends headers alone for `frames=meta`', async () => {
    const { ask, open } = await serveHub([camera('door')]);
    await ask('POST', frames, { body: png() });
    const peer = await open(`${stream}?frames=meta`);
    await ask('POST', frames, { body: png() });
    expect(typesOf(peer.records)).toEqual(['hello', 'frame', 'frame']);
  });

  it('sends no more frames a second than `fps`', async () => {
    const { ask, open, host } = await serveHub([camera('door')]);
    const peer = await open(`${stream}?fps=2`);
    for (let i = 0; i < 20; i++) {
      await ask('POST', frames, { body: png() });
      await host.clock.advance(100);
      peer.pong();
    }
    const sent = recordsOf(peer, 'frame').length;
    expect(sent).toBeGreaterThanOrEqual(3);
    expect(sent).toBeLessThanOrEqual(5);
  });

  it.each(['frame=meta', 'frames=none', 'fps=0', 'fps=-1', 'fps=much', 'replay=2', 'since=3'])(
    'refuses ?%s with 422 before it opens',
    async (query) => {
      const { open } = await serveHub([camera('door')]);
      await expect(open(`${stream}?${query}`)).rejects.toMatchObject({ status: 422 });
    },
  );

  it('tells the readings of a sensor', async () => {
    const { ask, open } = await serveHub([sensor('thermo')]);
    const peer = await open('/devices/thermo/stream');
    expect(peer.records).toMatchObject([
      { type: 'hello', device: { kind: 'sensor', max_fps: null }, seq: null },
    ]);
    await ask('POST', '/devices/thermo/telemetry', { body: '{"celsius":21}' });
    expect(recordsOf(peer, 'telemetry')).toEqual([{ type: 'telemetry', data: { celsius: 21 } }]);
  });

  it('tells the subscribers of one device nothing of another', async () => {
    const { ask, open } = await serveHub([camera('door'), camera('yard')]);
    const peer = await open(stream);
    await ask('POST', '/devices/yard/frames', { body: png() });
    expect(typesOf(peer.records)).toEqual(['hello']);
  });

  it('tells insights as they are published', async () => {
    const backend = createMemoryBackend({ keep: () => 8 });
    const { open } = await serveHub([camera('door')], { backend });
    const peer = await open(stream);
    await backend.publishInsight(insight());
    expect(peer.records.at(-1)).toEqual(insight());
  });

  it('misses nothing that comes while it is being opened', async () => {
    const backend = createMemoryBackend({ keep: () => 8 });
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = alteredBackend(backend, {
      async newest(device: string) {
        const found = await backend.newest(device);
        await gate;
        return found;
      },
      async telemetry(device: string) {
        const found = await backend.telemetry(device);
        await gate;
        return found;
      },
    });
    const { ask, open, host } = await serveHub([camera('door')], { backend: slow });
    await ask('POST', frames, { body: png(1, 1) });
    const peer = memoryPeer();
    const opening = open(stream, { peer });
    await new Promise(setImmediate);
    await ask('POST', frames, { body: png(2, 2) });
    await ask('POST', '/devices/door/telemetry', { body: '{"n":2}' });
    await backend.publishInsight(insight());
    release();
    await opening;
    await host.clock.advance(100);
    await ask('POST', frames, { body: png(3, 3) });
    expect(recordsOf(peer, 'hello')).toMatchObject([{ seq: 2, insights: [insight()] }]);
    expect(recordsOf(peer, 'frame')).toMatchObject([{ seq: 2 }, { seq: 3 }]);
    expect(recordsOf(peer, 'telemetry')).toMatchObject([{ data: { n: 2 } }]);
  });

  it('listens to the backend from the first subscriber to the last', async () => {
    const backend = createMemoryBackend({ keep: () => 8 });
    let listening = 0;
    const subscribe = backend.subscribe.bind(backend);
    backend.subscribe = (device, listener) => {
      listening++;
      const { ready, cancel } = subscribe(device, listener);
      return {
        ready,
        cancel() {
          listening--;
          cancel();
        },
      };
    };
    const { open } = await serveHub([camera('door')], { backend });
    expect(listening).toBe(0);
    const [a, b] = [await open(stream), await open(stream)];
    expect(listening).toBe(1);
    a.disconnect();
    expect(listening).toBe(1);
    b.disconnect();
    expect(listening).toBe(0);
    (await open(stream)).disconnect();
    expect(listening).toBe(0);
  });

  it('forgets who left before it was open', async () => {
    const { open, listing } = await serveHub([camera('door')]);
    const peer = memoryPeer();
    peer.disconnect();
    await open(stream, { peer });
    await new Promise(setImmediate);
    expect(await listing()).toMatchObject([{ subscribers: 0 }]);
  });

  it('takes the read scopes', async () => {
    const { open } = await serveHub([camera('door')]);
    const principal = { ...ada, scopes: ['devices:ingest'] };
    await expect(open(stream, { principal })).rejects.toMatchObject({ status: 403 });
    await expect(open(stream, { principal: anonymous() })).rejects.toMatchObject({ status: 401 });
  });
});

describe('the number of subscribers', () => {
  it('of one device is limited before the 101, and freed when one leaves', async () => {
    const { open, listing } = await serveHub([camera('door'), camera('yard')], { maxViewersPerDevice: 2 });
    const first = await open(stream);
    await open(stream);
    await expect(open(stream)).rejects.toMatchObject({
      status: 429,
      message: 'device "door" has all the viewers it may have',
      headers: { 'retry-after': '5' },
    });
    await open('/devices/yard/stream');
    expect(await listing()).toMatchObject([{ subscribers: 2 }, { subscribers: 1 }]);
    first.disconnect();
    await open(stream);
  });

  it('of one principal is limited over all devices', async () => {
    const { open } = await serveHub([camera('door'), camera('yard')], { maxViewersPerPrincipal: 2 });
    await open(stream);
    await open('/devices/yard/stream');
    await expect(open(stream)).rejects.toMatchObject({ status: 429 });
    await open(stream, { principal: { ...ada, id: 'bob' } });
  });

  it('of anonymous callers is limited by address', async () => {
    const { open } = await serveHub([camera('door')], { maxViewersPerPrincipal: 1 });
    const from = (clientAddress: string) => ({ principal: anonymous(ada.scopes), clientAddress });
    await open(stream, from('10.0.0.1'));
    await expect(open(stream, from('10.0.0.1'))).rejects.toMatchObject({ status: 429 });
    await open(stream, from('10.0.0.2'));
  });

  it('is 1,000 for a device and 100 for a principal by default', async () => {
    const { open } = await serveHub([camera('door')]);
    for (let i = 0; i < 1_000; i++) {
      const principal = { ...ada, id: `user ${Math.floor(i / 100)}` };
      await open(stream, { principal });
      if (i === 99) await expect(open(stream, { principal })).rejects.toMatchObject({ status: 429 });
    }
    await expect(open(stream)).rejects.toMatchObject({ status: 429 });
  });

  it('says nothing of itself to somebody without the scopes', async () => {
    const { open } = await serveHub([camera('door')], { maxViewersPerDevice: 1 });
    await open(stream);
    await expect(open(stream, { principal: { ...ada, scopes: [] } })).rejects.toMatchObject({ status: 403 });
  });

  it('holds for those who came through the door at the same time', async () => {
    const { open } = await serveHub([camera('door')], { maxViewersPerDevice: 1 });
    const peers = await Promise.all([open(stream), open(stream)]);
    expect(peers.map(({ closed }) => closed?.code)).toEqual([undefined, 1013]);
  });
});
