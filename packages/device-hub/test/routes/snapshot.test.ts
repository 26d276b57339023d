import { describe, expect, it } from 'vitest';
import { camera, sensor } from '../../src/index.ts';
import { png } from '../pictures.ts';
import { ada, serveHub } from '../serve-hub.ts';

describe('GET snapshot', () => {
  it('holds the newest frame as an image, the newest reading, and how old both are', async () => {
    const { ask, host } = await serveHub([camera('door', { description: 'the front door' })]);
    await ask('POST', '/devices/door/frames', { body: png(1, 1) });
    await ask('POST', '/devices/door/frames', { body: png(2, 2) });
    await host.clock.advance(700);
    await ask('POST', '/devices/door/telemetry', { body: '{"lux":3}' });
    await host.clock.advance(300);
    expect((await ask('GET', '/devices/door/snapshot')).value).toEqual({
      device: 'door',
      description: 'the front door',
      frame: { $image: { media_type: 'image/png', data: Buffer.from(png(2, 2)).toString('base64') } },
      seq: 2,
      age_ms: 1_000,
      telemetry: { lux: 3 },
      telemetry_age_ms: 300,
      status: 'online',
    });
  });

  it('is there with a reading alone, and with a frame alone', async () => {
    const { ask } = await serveHub([sensor('thermo'), camera('door')]);
    await ask('POST', '/devices/thermo/telemetry', { body: '{"celsius":21}' });
    await ask('POST', '/devices/door/frames', { body: png() });
    expect((await ask('GET', '/devices/thermo/snapshot')).value).toEqual({
      ...{ device: 'thermo', description: null, frame: null, seq: null, age_ms: null },
      ...{ telemetry: { celsius: 21 }, telemetry_age_ms: 0, status: 'online' },
    });
    expect((await ask('GET', '/devices/door/snapshot')).value).toMatchObject({
      ...{ seq: 1, telemetry: null, telemetry_age_ms: null },
    });
  });

  it('is 404 while neither has come', async () => {
    const { ask } = await serveHub([camera('door')]);
    expect(await ask('GET', '/devices/door/snapshot')).toMatchObject({
      status: 404,
      detail: 'nothing has come from "door" yet',
    });
  });

  it('takes the read scopes', async () => {
    const { ask } = await serveHub([camera('door')]);
    const principal = { ...ada, scopes: ['devices:ingest'] };
    expect((await ask('GET', '/devices/door/snapshot', { principal })).status).toBe(403);
  });
});
