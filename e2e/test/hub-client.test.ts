import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { deafServer } from './hub-client-deaf.ts';
import {
  type Event,
  keys,
  loadYardClient,
  markOf,
  openYard,
  type Publisher,
  picture,
  type Yard,
  type YardClient,
} from './hub-client-yard.ts';

let generated: Awaited<ReturnType<typeof loadYardClient>>;
beforeAll(async () => {
  generated = await loadYardClient();
});
afterAll(() => generated.remove());

/** A yard until the test is over, and a client with all rights. */
async function opened(): Promise<{ readonly yard: Yard; readonly client: YardClient }> {
  const yard = await openYard();
  onTestFinished(() => yard.close());
  return { yard, client: connect(yard) };
}

const connect = ({ url }: { readonly url: string }, apiKey: string = keys.operator): YardClient =>
  generated.create({ baseUrl: url, apiKey });

/** Publishes until the test is over. */
function publishing(client: YardClient, options?: object): Publisher {
  const publisher = client.devices.door.publish(options);
  onTestFinished(() => publisher.close());
  return publisher;
}

const untilOpen = async (publisher: Publisher): Promise<void> => {
  await expect.poll(() => publisher.state).toBe('open');
};

/** The next event of a type. @throws {Error} when the stream ends before */
async function next(events: AsyncIterableIterator<Event>, type: string): Promise<Event> {
  for (;;) {
    const { value, done } = await events.next();
    if (done) throw new Error(`the stream ended before ${type}`);
    if (value.type === type) return value;
  }
}

describe('devices of a generated client', () => {
  it('publishes frames and readings that a stream and the ordinary methods give back', async () => {
    verifies('client.devices', 'client.typed');
    const { client } = await opened();
    const events = client.devices.door.stream();
    expect((await events.next()).value).toMatchObject({ type: 'hello', device: { name: 'door' } });
    const publisher = publishing(client);
    await untilOpen(publisher);
    expect(publisher.frame(picture(7))).toBe(true);
    expect(await next(events, 'frame')).toMatchObject({ seq: 1, media_type: 'image/gif', bytes: picture(7) });
    expect(publisher.telemetry({ light: 4 })).toBe(true);
    expect((await next(events, 'telemetry')).data).toEqual({ light: 4 });
    expect(publisher.maxFps).toBe(1_000);
    expect(await client.getDevicesDoorLatest()).toEqual(picture(7));
    expect(await client.doorTelemetry()).toMatchObject({ telemetry: { light: 4 } });
    expect(await client.createDevicesDoorFrames({ body: picture(8), contentType: 'image/gif' })).toEqual({
      device: 'door',
      seq: 2,
    });
    expect(markOf((await next(events, 'frame')).bytes)).toBe(8);
    await events.return?.();
  });

  it('leaves images away where only their headers are wanted', async () => {
    const { client } = await opened();
    await client.createDevicesDoorFrames({ body: picture(1) });
    const events = client.devices.door.stream({ frames: 'meta', fps: 5 });
    expect(await next(events, 'frame')).toMatchObject({ seq: 1, bytes: 64 });
    await client.createDevicesDoorFrames({ body: picture(2, 65) });
    expect(await next(events, 'frame')).toMatchObject({ seq: 2, bytes: 65 });
    await events.return?.();
  });

  it('gives a slow consumer the newest frame, and accounts for all others', async () => {
    verifies('client.devices');
    const { client } = await opened();
    const events = client.devices.door.stream();
    await events.next();
    const published = 40;
    for (let mark = 1; mark <= published; mark++)
      await client.createDevicesDoorFrames({ body: picture(mark, 50_000) });
    let received = 0;
    let told = 0;
    for await (const event of events) {
      if (event.type === 'lagged') told += event.skipped;
      if (event.type === 'frame') received++;
      if (event.seq === published) break;
    }
    expect(received).toBeLessThan(published);
    expect(received + told).toBe(published);
  });

  it('comes back after the server was restarted, to stream and to publish', async () => {
    verifies('client.devices');
    const { yard, client } = await opened();
    const events = client.devices.door.stream();
    const { boot } = await next(events, 'hello');
    const publisher = publishing(client);
    await untilOpen(publisher);
    await yard.close();
    await expect.poll(() => publisher.state).not.toBe('open');
    const again = await openYard({ port: yard.port });
    onTestFinished(() => again.close());
    const hello = await next(events, 'hello');
    expect(hello.boot).not.toBe(boot);
    await untilOpen(publisher);
    publisher.frame(picture(3));
    expect(markOf((await next(events, 'frame')).bytes)).toBe(3);
    await events.return?.();
  });

  it('publishes the newest frame and reading alone of what came while the server was down', async () => {
    verifies('client.devices');
    const { yard, client } = await opened();
    const publisher = publishing(client);
    await untilOpen(publisher);
    await yard.close();
    await expect.poll(() => publisher.state).not.toBe('open');
    for (let mark = 1; mark <= 50; mark++) {
      expect(publisher.frame(picture(mark))).toBe(false);
      publisher.telemetry({ mark });
    }
    expect(publisher.dropped).toBe(49);
    const again = await openYard({ port: yard.port });
    onTestFinished(() => again.close());
    await untilOpen(publisher);
    const events = client.devices.door.stream();
    expect(await next(events, 'frame')).toMatchObject({ seq: 1, bytes: picture(50) });
    await expect.poll(() => client.doorTelemetry()).toMatchObject({ telemetry: { mark: 50 } });
    await events.return?.();
  });

  it('queues no frames for a server that does not read', async () => {
    verifies('client.devices');
    const deaf = await deafServer();
    onTestFinished(() => deaf.close());
    const publisher = publishing(connect(deaf));
    await untilOpen(publisher);
    const size = 4_000_000;
    let sent = 0;
    while (publisher.frame(picture(sent, size))) {
      sent++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (let more = 1; more <= 100; more++) publisher.frame(picture(sent + more, size));
    expect(publisher.dropped).toBe(100);
    const heard = deaf.hear();
    // What was sent, and of the others the last one alone.
    await expect.poll(() => heard()).toBeGreaterThan((sent + 1) * size);
    expect(heard()).toBeLessThan((sent + 2) * size);
    expect(publisher.frame(picture(0))).toBe(true);
  });

  it.each(['break', 'abort'])('closes its socket on %s', async (way) => {
    verifies('client.devices');
    const { yard, client } = await opened();
    const abort = new AbortController();
    const events = client.devices.door.stream({ signal: abort.signal });
    await events.next();
    expect(yard.sockets).toBe(1);
    if (way === 'break') {
      await client.createDevicesDoorFrames({ body: picture(1) });
      for await (const _ of events) break;
    } else {
      const pending = events.next();
      abort.abort();
      expect((await pending).done).toBe(true);
    }
    expect((await events.next()).done).toBe(true);
    await expect.poll(() => yard.sockets).toBe(0);
  });

  it.each([
    ['a wrong key', 'a-key-that-nobody-has', 401, 401],
    ['a camera, which may not read', keys.camera, 403, undefined],
    ['a viewer, who may not send', keys.viewer, undefined, 403],
  ])('says why it was refused: %s', async (_, key, read, sent) => {
    verifies('client.devices', 'client.problem-error');
    const { yard } = await opened();
    const { door, 'rain-gauge': gauge } = connect(yard, key).devices;
    for (const device of [door, gauge]) {
      const events = device.stream();
      const first = events.next();
      if (read === undefined) expect((await first).value).toMatchObject({ type: 'hello' });
      else await expect(first).rejects.toMatchObject({ name: 'ProblemError', status: read });
      await events.return?.();
      const told = new Promise<{ readonly state: string; readonly error?: Error }>((resolve) => {
        const onState = (state: string, error?: Error): void => resolve({ state, ...(error && { error }) });
        const publisher = device.publish({ onState });
        onTestFinished(() => publisher.close());
      });
      expect(await told).toMatchObject(
        sent === undefined
          ? { state: 'open' }
          : { state: 'closed', error: { name: 'ProblemError', status: sent } },
      );
    }
    expect(yard.logged()).toContain('/devices/door/stream');
    expect(yard.logged()).not.toContain(key);
  });

  it('ends where there is no such device', async () => {
    const { yard } = await opened();
    const lost = connect({ url: `${yard.url}/elsewhere` });
    await expect(lost.devices.door.stream().next()).rejects.toMatchObject({ status: 404 });
  });

  it('surfaces what the server says of a bad frame, and goes on', async () => {
    verifies('client.devices');
    const { client } = await opened();
    const errors: string[] = [];
    const publisher = publishing(client, { onError: (message: string) => void errors.push(message) });
    await untilOpen(publisher);
    publisher.frame(new TextEncoder().encode('no picture at all'));
    await expect.poll(() => errors).toHaveLength(1);
    expect(errors[0]).toContain('PNG, JPEG, GIF or WebP');
    expect(publisher.frame(picture(1))).toBe(true);
    await expect.poll(() => client.getDevicesDoorLatest()).toEqual(picture(1));
  });
});
