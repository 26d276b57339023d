import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createRouteTable, toTool } from '@waymark/contract';
import type { Insight } from '@waymark/contract/hub';
import { validateValue } from '@waymark/contract/schema';
import { memoryPeer, testHost, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { camera, createMemoryBackend, deviceHub, sensor } from '../src/index.ts';
import { png, pngOf } from './pictures.ts';
import { recordsOf, type ServedHub, serveHub } from './serve-hub.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Posts a frame that nobody here keeps. */
async function postLarge({ ask }: ServedHub): Promise<WeakRef<Uint8Array>> {
  const body = pngOf(10_000);
  expect((await ask('POST', '/devices/door/frames', { body })).status).toBe(202);
  return new WeakRef(body);
}

describe('the routes of a hub', () => {
  it('are those of the specification, with the scopes of each device', async () => {
    const { table } = await serveHub([
      camera('door'),
      sensor('thermo', { ingestScopes: ['in'], readScopes: ['out'] }),
    ]);
    const rows = [...table].map((route) => [
      `${route.method} ${table.pathOf(route)}${route.socket ? ' (socket)' : ''}`,
      route.scopes.join(),
      route.engine.kind,
    ]);
    const [ingest, read] = ['devices:ingest', 'devices:read'];
    expect(rows).toEqual([
      ['POST /devices/door/frames', ingest, 'device'],
      ['GET /devices/door/frames', read, 'device'],
      ['GET /devices/door/frames/{seq}', read, 'device'],
      ['GET /devices/door/latest', read, 'device'],
      ['GET /devices/door/stream.mjpeg', read, 'device'],
      ['GET /devices/door/snapshot', read, 'device'],
      ['POST /devices/door/telemetry', ingest, 'device'],
      ['GET /devices/door/telemetry', read, 'device'],
      ['GET /devices/door/insights', read, 'device'],
      ['GET /devices/door/insights/{run_id}/frame', read, 'device'],
      ['GET /devices/door/insights/{run_id}/evidence', '', 'device'],
      ['GET /devices/door/ws (socket)', ingest, 'device'],
      ['GET /devices/door/stream (socket)', read, 'device'],
      ['GET /devices/door/view', '', 'device'],
      ['GET /devices/door/connect', '', 'device'],
      ['GET /devices/thermo/snapshot', 'out', 'device'],
      ['POST /devices/thermo/telemetry', 'in', 'device'],
      ['GET /devices/thermo/telemetry', 'out', 'device'],
      ['GET /devices/thermo/insights', 'out', 'device'],
      ['GET /devices/thermo/ws (socket)', 'in', 'device'],
      ['GET /devices/thermo/stream (socket)', 'out', 'device'],
      ['GET /devices/thermo/view', '', 'device'],
      ['GET /devices/_page/{version}/{file}', '', 'device'],
      ['GET /_svc/devices', '', 'control'],
    ]);
  });

  it('say whose they are', async () => {
    const { table } = await serveHub([camera('door'), sensor('thermo')]);
    for (const { path, facts } of [...table].filter(({ scopes }) => scopes.length > 0))
      expect(facts.device).toBe(path.split('/')[2]);
  });

  it('have one owner process, since devices have', async () => {
    const { table } = await serveHub([camera('door')]);
    const ofDevices = [...table].filter(({ scopes }) => scopes.length > 0);
    expect(new Set(ofDevices.map(({ placement }) => placement))).toEqual(new Set(['owner']));
    // Pages hold nothing of theirs.
    const pages = [...table].filter(({ plane, scopes }) => plane === 'data' && scopes.length === 0);
    expect(new Set(pages.map(({ placement }) => placement))).toEqual(new Set(['any']));
  });

  it('stand where their device was declared', async () => {
    const { table } = await serveHub([camera('door', { declaredAt: 'src/app.ts:12' })]);
    expect(table.get('door_snapshot')?.declaredAt).toBe('src/app.ts:12');
  });
});

describe('the tools of a device', () => {
  it('are snapshot, telemetry and insights, read only, and say what the device is', async () => {
    const { table } = await serveHub([camera('door', { description: 'the front door' }), sensor('thermo')]);
    const tools = table.tools().map(toTool);
    expect(tools.map(({ name }) => name)).toEqual([
      ...['door_snapshot', 'door_telemetry', 'door_insights'],
      ...['thermo_snapshot', 'thermo_telemetry', 'thermo_insights'],
    ]);
    for (const { annotations, inputSchema } of tools) {
      expect(annotations).toEqual({ readOnlyHint: true, idempotentHint: true, requiresApproval: false });
      expect(inputSchema).toMatchObject({ type: 'object', properties: {}, additionalProperties: false });
    }
    expect(tools.slice(0, 3).every(({ description }) => description.includes('the front door'))).toBe(true);
    expect(tools.slice(3).every(({ description }) => description.includes('sensor "thermo"'))).toBe(true);
  });

  it('are not there with `tool: false`; their routes are', async () => {
    const { table } = await serveHub([camera('door', { tool: false })]);
    expect(table.tools()).toEqual([]);
    expect(table.get('door_snapshot')).toBeDefined();
  });
});

describe('GET insights', () => {
  it('lists the newest 32, newest last', async () => {
    verifies('hub.insights', 'device.insights');
    const { ask, host } = await serveHub([camera('door')]);
    expect((await ask('GET', '/devices/door/insights')).value).toEqual({ device: 'door', insights: [] });
    for (let i = 1; i <= 33; i++)
      await host.stores.insights.publish({
        ...{ type: 'insight', watcher: 'calm', device: 'door', agent: 'guard', seq: i, status: 'completed' },
        ...{ output: '', error: null, run_id: `r${i}`, tokens: 0, cost_micros: null, at_ms: i },
      });
    const { insights } = (await ask('GET', '/devices/door/insights')).value as {
      readonly insights: readonly { readonly seq: number }[];
    };
    expect(insights.map(({ seq }) => seq)).toEqual(Array.from({ length: 32 }, (_, i) => i + 2));
  });
});

describe('the listing of devices', () => {
  it('has a row for each device, in the order of their declarations', async () => {
    verifies('listing.devices.readings');
    const { ask, open, listing, host } = await serveHub([
      camera('door', { description: 'the front door', maxFps: 1 }),
      sensor('thermo'),
    ]);
    const send = () => ask('POST', '/devices/door/frames', { body: png() });
    await send();
    await host.clock.advance(1_000);
    for (let i = 0; i < 2; i++) await send();
    const atMs = host.now();
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`n${i}`, i]));
    const reading = { celsius: 21.5, label: 'warm', [`x${'x'.repeat(64)}`]: 1, deep: { n: 1 }, ...many };
    await ask('POST', '/devices/thermo/telemetry', { body: JSON.stringify(reading) });
    await open('/devices/door/stream');
    await host.clock.advance(1_000);
    expect(await listing()).toEqual([
      {
        ...{ name: 'door', kind: 'camera', description: 'the front door', status: 'online', pulled: false },
        pull: null,
        latest: { seq: 2, media_type: 'image/png', bytes: 33, at_ms: atMs },
        ...{ telemetry_at_ms: null, frames_in: 2, frames_dropped: 1, bytes_in: 66, fps: 1 },
        ...{ subscribers: 1, watchers: [], insights: 0, max_fps: 1, readings: {} },
      },
      {
        ...{ name: 'thermo', kind: 'sensor', description: null, status: 'online', pulled: false },
        pull: null,
        ...{ latest: null, telemetry_at_ms: atMs, frames_in: 0, frames_dropped: 0, bytes_in: 0, fps: 0 },
        ...{ subscribers: 0, watchers: [], insights: 0, max_fps: null },
        readings: { celsius: 21.5, ...Object.fromEntries(Object.entries(many).slice(0, 15)) },
      },
    ]);
  });

  it('says of each row what it is declared to be', async () => {
    const { table, listing } = await serveHub([camera('door')]);
    const route = [...table].find(({ plane }) => plane === 'control');
    expect(validateValue(route?.output[200] ?? { not: {} }, { devices: await listing() })).toEqual([]);
  });
});

describe('the presence of a device', () => {
  it('is told to subscribers and in the audit log, and shown everywhere', async () => {
    const { ask, open, listing, host } = await serveHub([camera('door')]);
    const peer = await open('/devices/door/stream');
    await ask('POST', '/devices/door/frames', { body: png() });
    await host.clock.advance(10_000);
    expect(recordsOf(peer, 'status')).toEqual([
      { type: 'status', device: 'door', status: 'online', at_ms: host.now() - 10_000 },
      { type: 'status', device: 'door', status: 'stale', at_ms: host.now() },
    ]);
    expect((await ask('GET', '/devices/door/snapshot')).value).toMatchObject({ status: 'stale' });
    expect(await listing()).toMatchObject([{ status: 'stale' }]);
    expect(recordsOf(await open('/devices/door/stream'), 'hello')).toMatchObject([{ status: 'stale' }]);
    await host.clock.advance(50_000);
    expect(host.events).toEqual(
      ['online', 'stale', 'offline'].map((status) => ({ kind: 'device_status', device: 'door', status })),
    );
  });

  it('waits longer for sensors, and as long as the hub says', async () => {
    const { ask, listing, host } = await serveHub([sensor('thermo'), camera('door')], {
      cameraPresence: { staleAfterMs: 500 },
    });
    await ask('POST', '/devices/thermo/telemetry', { body: '{}' });
    await ask('POST', '/devices/door/telemetry', { body: '{}' });
    await host.clock.advance(500);
    expect(await listing()).toMatchObject([{ status: 'online' }, { status: 'stale' }]);
    await host.clock.advance(179_500);
    expect(await listing()).toMatchObject([{ status: 'stale' }, { status: 'offline' }]);
    await host.clock.advance(420_000);
    expect(await listing()).toMatchObject([{ status: 'offline' }, { status: 'offline' }]);
  });

  it('does not come from what was refused', async () => {
    const { ask, listing } = await serveHub([camera('door')]);
    await ask('POST', '/devices/door/frames', { body: 'no picture' });
    await ask('POST', '/devices/door/telemetry', { body: 'no JSON' });
    expect(await listing()).toMatchObject([{ status: 'offline' }]);
  });
});

describe('a hub', () => {
  it('counts its devices for health', () => {
    expect(deviceHub([camera('door'), sensor('thermo')]).gauges?.()).toEqual({ devices: 2 });
  });

  it('says how much memory its frames may take', () => {
    const door = camera('door');
    expect(deviceHub([door, camera('yard')]).findings?.()).toEqual([
      { severity: 'info', text: 'the frames of 2 cameras may take 80 MB of memory' },
    ]);
    expect(deviceHub([door], { memoryBytes: 10 * 1_048_576 }).findings?.()).toEqual([
      {
        severity: 'info',
        text: 'the frames of 1 cameras may take 40 MB of memory, and are kept within 10 MB',
      },
    ]);
    expect(deviceHub([sensor('thermo')]).findings?.()).toEqual([]);
  });

  it.each([
    ['8 frames by default', camera('door'), 8],
    ['as many as it says', camera('door', { keep: 3 }), 3],
  ])('holds of a camera the newest, %s, and lets go of the others', async (_, declaration, keep) => {
    verifies('limit.keep', 'device.option.keep', 'device.option.keep.default', 'purpose.hub.ring');
    const hub = await serveHub([declaration]);
    const frames: WeakRef<Uint8Array>[] = [];
    for (let i = 0; i < 9; i++) {
      frames.push(await postLarge(hub));
      await hub.host.clock.advance(1_000);
    }
    // What was awaited is let go of in a later turn.
    await new Promise(setImmediate);
    collect();
    const held = frames.map((frame) => frame.deref() !== undefined);
    expect(held).toEqual(Array.from({ length: 9 }, (_, i) => i >= 9 - keep));
  });

  it('answers 503 before its start and after its stop', async () => {
    const plugin = deviceHub([camera('door')]);
    const route = createRouteTable(plugin.routes).get('door_telemetry');
    const ask = async () => route?.engine.answer?.({} as never);
    const refused = { status: 503, message: 'the device hub is not running' };
    await expect(ask()).rejects.toMatchObject(refused);
    await plugin.start?.(testHost());
    await expect(ask()).resolves.toMatchObject({ telemetry: null });
    await plugin.stop?.();
    await expect(ask()).rejects.toMatchObject(refused);
  });

  it('closes every socket with 1001 when it stops, ends its timers, and closes its backend', async () => {
    const backend = createMemoryBackend({ keep: () => 8 });
    const { ask, open, plugin, host } = await serveHub([camera('door')], { backend });
    const peers = [await open('/devices/door/stream'), await open('/devices/door/ws')];
    await ask('POST', '/devices/door/frames', { body: png() });
    await plugin.stop?.();
    expect(peers.map(({ closed }) => closed)).toEqual([
      { code: 1001, reason: 'the device hub is stopping' },
      { code: 1001, reason: 'the device hub is stopping' },
    ]);
    expect(host.clock.pending).toBe(0);
    await expect(async () => backend.publishTelemetry('door', { data: {}, atMs: 0 })).rejects.toMatchObject({
      status: 503,
    });
    await plugin.stop?.();
  });

  it('has another boot after a restart, so that nobody mistakes an old frame for a new one', async () => {
    const { ask, plugin, host } = await serveHub([camera('door')]);
    await ask('POST', '/devices/door/frames', { body: png() });
    const { headers: before } = await ask('GET', '/devices/door/latest');
    await plugin.stop?.();
    await plugin.start?.(host);
    expect((await ask('GET', '/devices/door/latest')).status).toBe(404);
    await ask('POST', '/devices/door/frames', { body: png() });
    const { headers: after } = await ask('GET', '/devices/door/latest');
    expect(after['x-frame-seq']).toBe('1');
    expect(after['etag']).not.toBe(before['etag']);
  });

  it('keeps nothing of what it told its subscribers', async () => {
    const backend = createMemoryBackend({ keep: () => 8 });
    const { open } = await serveHub([camera('door')], { backend });
    const peer = await open('/devices/door/stream');
    const publish = async (): Promise<WeakRef<object>> => {
      const insight: Insight = {
        ...{ type: 'insight', watcher: 'calm', device: 'door', agent: 'guard', seq: 1, status: 'completed' },
        ...{ output: '', error: null, run_id: 'r1', tokens: 0, cost_micros: null, at_ms: 1 },
      };
      await backend.publishInsight(insight);
      return new WeakRef(insight);
    };
    const told = await publish();
    expect(recordsOf(peer, 'insight')).toHaveLength(1);
    await new Promise(setImmediate);
    collect();
    expect(told.deref()).toBeUndefined();
  });

  it('leaves nothing of sockets that came and went', async () => {
    const { ask, open, listing, host } = await serveHub([camera('door')], { maxViewersPerPrincipal: 5_000 });
    await ask('POST', '/devices/door/frames', { body: png() });
    const pending = host.clock.pending;
    for (let i = 0; i < 1_000; i++) {
      const peer = memoryPeer();
      await open(i % 2 === 0 ? '/devices/door/stream' : '/devices/door/ws', { peer });
      peer.disconnect();
    }
    expect(await listing()).toMatchObject([{ subscribers: 0 }]);
    expect(host.clock.pending).toBe(pending);
  });
});
