import { HTTPError } from '@waymark/contract';
import type { OutboundRequest, OutboundResponse } from '@waymark/contract/http';
import type { Insight } from '@waymark/contract/hub';
import { testHost } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { camera, createMemoryBackend, deviceHub, sensor } from '../src/index.ts';
import { alteredBackend } from './altered-backend.ts';
import { png } from './pictures.ts';
import { recordsOf, serveHub } from './serve-hub.ts';

const source = 'http://camera.lan/shot';

function insight(fields: Partial<Insight> = {}): Insight {
  return {
    ...{ type: 'insight', watcher: 'calm', device: 'door', agent: 'guard', seq: 1, status: 'completed' },
    ...{ output: 'Nobody.', error: null, run_id: 'r1', tokens: 12, cost_micros: 40, at_ms: 1_000 },
    ...fields,
  };
}

const evidence = { mediaType: 'image/png', bytes: png(), token: 'secret' };
const delivery = { id: 'r1:completed', endpoint: 'watcher:calm', body: {} };

/** A hub whose camera is asked over an outbound client. */
function pulledHub(respond: (request: OutboundRequest) => Promise<OutboundResponse>) {
  const asked: OutboundRequest[] = [];
  const outbound = {
    request: (request: OutboundRequest) => {
      asked.push(request);
      return respond(request);
    },
  };
  return serveHub([camera('door', { source })], {}, { outbound }).then((hub) => ({ ...hub, asked }));
}

const picture = async (): Promise<OutboundResponse> => ({
  status: 200,
  headers: { 'content-type': 'image/png', 'content-length': '33' },
  body: new Blob([Buffer.from(png())]).stream(),
});
const silent = (): Promise<OutboundResponse> => new Promise(() => {});

describe('what watchers see of a hub', () => {
  it('is what is declared, before it starts', () => {
    const { devices } = deviceHub([
      camera('door', { maxFps: 2 }),
      camera('yard', { source }),
      sensor('thermo'),
    ]);
    expect(devices.declared).toEqual([
      { name: 'door', kind: 'camera', pulled: false, maxFps: 2 },
      { name: 'yard', kind: 'camera', pulled: true, maxFps: 30 },
      { name: 'thermo', kind: 'sensor', pulled: false, maxFps: null },
    ]);
  });

  it('is nothing before the hub starts and after it stopped', async () => {
    const plugin = deviceHub([camera('door')]);
    await expect(plugin.devices.look('door')).rejects.toMatchObject({ status: 503 });
    await expect(plugin.devices.publish(insight())).rejects.toMatchObject({ status: 503 });
    const host = testHost();
    await plugin.start?.(host);
    await plugin.stop?.();
    await expect(plugin.devices.look('door')).rejects.toMatchObject({ status: 503 });
    await expect(plugin.devices.publish(insight())).rejects.toMatchObject({ status: 503 });
    expect(await host.stores.insights.recent('door', 1)).toEqual([]);
  });

  it('is nothing of a device that is not declared', async () => {
    const { plugin, host } = await serveHub([camera('door')]);
    await expect(plugin.devices.look('dor')).rejects.toThrow('no device "dor"');
    await expect(plugin.devices.publish(insight({ device: 'dor' }))).rejects.toThrow('no device "dor"');
    expect(await host.stores.insights.recent('dor', 1)).toEqual([]);
  });

  it('is the newest frame and reading, as the same objects until newer ones come', async () => {
    const { plugin, ask } = await serveHub([camera('door'), sensor('thermo')]);
    const { devices } = plugin;
    expect(await devices.look('door')).toEqual({ status: 'offline' });
    await ask('POST', '/devices/door/frames', { body: png() });
    await ask('POST', '/devices/door/telemetry', { body: '{"lux":3}' });
    const sight = await devices.look('door');
    expect(sight).toMatchObject({ frame: { seq: 1 }, telemetry: { data: { lux: 3 } }, status: 'online' });
    const again = await devices.look('door');
    expect(again.frame).toBe(sight.frame);
    expect(again.telemetry).toBe(sight.telemetry);
    await ask('POST', '/devices/door/telemetry', { body: '{"lux":3}' });
    const third = await devices.look('door');
    expect(third.frame).toBe(sight.frame);
    expect(third.telemetry).not.toBe(sight.telemetry);
    await ask('POST', '/devices/thermo/telemetry', { body: '{"celsius":20}' });
    expect(await devices.look('thermo')).toEqual({
      telemetry: { kind: 'telemetry', data: { celsius: 20 }, atMs: expect.any(Number) },
      status: 'online',
    });
  });

  it('is a new picture of a camera that is pulled, and the same object where its bytes are the same', async () => {
    const { plugin, asked, host } = await pulledHub(picture);
    const { frame } = await plugin.devices.look('door');
    expect(frame?.seq).toBe(1);
    await host.clock.advance(1_000);
    expect((await plugin.devices.look('door')).frame).toBe(frame);
    expect(asked).toHaveLength(2);
  });

  it('is no older picture where a camera that is pulled gives none', async () => {
    let answer = picture;
    const { plugin, ask, host } = await pulledHub(() => answer());
    await plugin.devices.look('door');
    await host.clock.advance(1_000);
    answer = async () => {
      throw new HTTPError(502, 'it did not answer');
    };
    await expect(plugin.devices.look('door')).rejects.toMatchObject({ status: 502 });
    await expect(plugin.devices.look('door')).rejects.toMatchObject({ status: 502 });
    expect((await ask('GET', '/devices/door/latest')).status).toBe(200);
  });
});

describe('somebody who leaves while a camera is asked', () => {
  it('waits no longer, and the others get its picture', async () => {
    let answer: (response: OutboundResponse) => void = () => {};
    const { plugin, asked } = await pulledHub(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const leaving = new AbortController();
    const staying = plugin.devices.look('door');
    const left = plugin.devices.look('door', leaving.signal);
    const reason = new Error('enough');
    leaving.abort(reason);
    await expect(left).rejects.toBe(reason);
    await expect(plugin.devices.look('door', leaving.signal)).rejects.toBe(reason);
    answer(await picture());
    expect((await staying).frame?.seq).toBe(1);
    expect(asked).toHaveLength(1);
  });

  it.each(['latest', 'snapshot', 'stream.mjpeg'])('is not kept waiting by %s', async (last) => {
    const { ask, asked } = await pulledHub(silent);
    const leaving = new AbortController();
    const answered = ask('GET', `/devices/door/${last}`, { signal: leaving.signal });
    await expect.poll(() => asked.length).toBe(1);
    leaving.abort(new HTTPError(499, 'the caller left'));
    expect((await answered).status).toBe(499);
  });
});

describe('publishing an insight', () => {
  it('stores it with what goes along, tells the streams, and audits it', async () => {
    const { plugin, host, open } = await serveHub([camera('door')]);
    const peer = await open('/devices/door/stream');
    const published = await plugin.devices.publish(insight(), { deliveries: [delivery], evidence });
    expect(published).toBe(true);
    expect(await host.stores.insights.recent('door', 9)).toEqual([insight()]);
    expect(await host.stores.insights.evidence('door', 'r1')).toMatchObject(evidence);
    expect(await host.stores.outbox.kept('watcher:calm', 9)).toMatchObject([delivery]);
    expect(recordsOf(peer, 'insight')).toEqual([insight()]);
    const { type: kind, at_ms: _, ...fields } = insight();
    expect(host.events).toContainEqual({ kind, ...fields });
  });

  it('tells nobody what was published already', async () => {
    const { plugin, host, open } = await serveHub([camera('door')]);
    await plugin.devices.publish(insight());
    const peer = await open('/devices/door/stream');
    expect(await plugin.devices.publish(insight(), { deliveries: [delivery] })).toBe(false);
    expect(recordsOf(peer, 'insight')).toEqual([]);
    expect(await host.stores.outbox.kept('watcher:calm', 9)).toEqual([]);
    expect(host.events.filter(({ kind }) => kind === 'insight')).toHaveLength(1);
  });

  it('audits the beginning of a long output', async () => {
    const { plugin, host } = await serveHub([camera('door')]);
    for (const [i, length] of [499, 500, 501].entries())
      await plugin.devices.publish(insight({ run_id: `r${i}`, output: 'x'.repeat(length) }));
    const audited = host.events.filter(({ kind }) => kind === 'insight');
    expect(audited.map(({ output }) => String(output).length)).toEqual([499, 500, 500]);
  });

  it('is done once it is stored, though the streams cannot be told', async () => {
    const backend = alteredBackend(createMemoryBackend({ keep: () => 1 }), {
      publishInsight: () => Promise.reject(new Error('out of reach')),
    });
    const { plugin, host } = await serveHub([camera('door')], { backend });
    expect(await plugin.devices.publish(insight())).toBe(true);
    expect(host.events.map(({ kind }) => kind)).toContain('insight');
    expect(host.logs.map(({ message }) => message)).toContain('an insight could not be told');
  });

  it('fails when it cannot be stored, and tells nobody', async () => {
    const { plugin, host, open } = await serveHub([camera('door')]);
    const peer = await open('/devices/door/stream');
    host.stores.insights.publish = () => Promise.reject(new Error('the disk is full'));
    await expect(plugin.devices.publish(insight())).rejects.toThrow('the disk is full');
    expect(recordsOf(peer, 'insight')).toEqual([]);
    expect(host.events).toEqual([]);
  });
});

describe('the watchers of a device', () => {
  it('stand in its row until they are cancelled', async () => {
    const { plugin, listing } = await serveHub([camera('door'), sensor('thermo')]);
    const names = async () => (await listing()).map(({ watchers }) => watchers);
    expect(await names()).toEqual([[], []]);
    const cancel = plugin.devices.nameWatcher('door', 'calm');
    plugin.devices.nameWatcher('door', 'night');
    plugin.devices.nameWatcher('thermo', 'calm');
    expect(await names()).toEqual([['calm', 'night'], ['calm']]);
    cancel();
    cancel();
    expect(await names()).toEqual([['night'], ['calm']]);
  });
});
