import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { camera, sensor } from '../../src/index.ts';
import { png } from '../pictures.ts';
import { ada, type ServedHub, serveHub } from '../serve-hub.ts';

const hourMs = 3_600_000;

const postFrame = ({ ask }: ServedHub) => ask('POST', '/devices/door/frames', { body: png() });
const postReading = ({ ask }: ServedHub, value: number) =>
  ask('POST', '/devices/door/telemetry', { body: `{"value":${value}}` });

/** How many of the frames that come at 20 a second are taken. */
async function taken(hub: ServedHub, frames: number): Promise<number> {
  let count = 0;
  for (let i = 0; i < frames; i++) {
    if ((await postFrame(hub)).status === 202) count++;
    await hub.host.clock.advance(50);
  }
  return count;
}

const door = () => serveHub([camera('door', { maxFps: 10 })]);

describe.each([hourMs, -hourMs])('a clock that is set by %i ms', (byMs) => {
  it('changes nothing about how many frames are taken, and how many are said to come', async () => {
    const hub = await door();
    await taken(hub, 100);
    const before = await taken(hub, 400);
    const [was] = await hub.listing();
    hub.host.clock.step(byMs);
    expect(await taken(hub, 400)).toBe(before);
    const [is] = await hub.listing();
    expect(is?.['fps']).toBe(was?.['fps']);
  });

  it('changes nothing about a camera that dies, nor about one that lives', async () => {
    const hub = await serveHub([camera('door'), camera('yard')]);
    const hear = () => hub.ask('POST', '/devices/yard/frames', { body: png() });
    await postFrame(hub);
    await hear();
    hub.host.clock.step(byMs);
    for (let i = 0; i < 13; i++) {
      await hub.host.clock.advance(1_000);
      await hear();
    }
    expect(await hub.listing()).toMatchObject([{ status: 'stale' }, { status: 'online' }]);
  });

  it('changes no age', async () => {
    const hub = await door();
    await postFrame(hub);
    await postReading(hub, 1);
    await hub.host.clock.advance(700);
    hub.host.clock.step(byMs);
    await hub.host.clock.advance(800);
    const { value } = await hub.ask('GET', '/devices/door/snapshot');
    expect(value).toMatchObject({ age_ms: 1_500, telemetry_age_ms: 1_500 });
    expect((await hub.ask('GET', '/devices/door/telemetry')).value).toMatchObject({ age_ms: 1_500 });
  });

  it('shows the time that it is from then on', async () => {
    const hub = await door();
    await postFrame(hub);
    await hub.host.clock.advance(1_000);
    hub.host.clock.step(byMs);
    await postFrame(hub);
    const [row] = await hub.listing();
    expect(row?.['latest']).toMatchObject({ seq: 2, at_ms: hub.host.now() });
  });

  it('changes nothing about how often readings are taken', async () => {
    const hub = await serveHub([sensor('door')], { telemetryPerSecond: 1 });
    for (const value of [1, 2]) expect((await postReading(hub, value)).status).toBe(202);
    hub.host.clock.step(byMs);
    expect((await postReading(hub, 3)).status).toBe(429);
    await hub.host.clock.advance(1_000);
    expect((await postReading(hub, 3)).status).toBe(202);
  });
});

describe('a credential that ends', () => {
  const mjpeg = '/devices/door/stream.mjpeg';

  it.each([
    { what: 'as soon as the next part where the clock is set past its end', byMs: hourMs, afterMs: 10_000 },
    { what: 'when its time has passed where the clock is set back', byMs: -hourMs, afterMs: 60_000 },
  ])('ends a motion JPEG $what', async ({ byMs, afterMs }) => {
    const hub = await door();
    await postFrame(hub);
    const { clock } = hub.host;
    const principal = { ...ada, expiresAtMs: clock.now() + 60_000 };
    const { body } = await hub.ask('GET', mjpeg, { principal });
    if (body.kind !== 'stream') throw new Error('no stream');
    let over = false;
    const drained = (async () => {
      for await (const _ of body.stream);
      over = true;
    })();
    await turn();
    clock.step(byMs);
    for (let passedMs = 0; passedMs < afterMs; passedMs += 1_000) {
      expect(over).toBe(false);
      await clock.advance(1_000);
      await turn();
    }
    await drained;
    expect(over).toBe(true);
  });
});
