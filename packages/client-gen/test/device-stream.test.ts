import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type Device, yardClient } from './device-project.ts';
import type { ScriptedSocket } from './scripted-socket.ts';

const connect = yardClient();
const hello = { type: 'hello', device: { name: 'door' }, insights: [], boot: 'b1', status: 'online' };
const header = (seq: number) => ({ type: 'frame', seq, media_type: 'image/png', bytes: 3, at_ms: 5 });
const image = (seq: number): ArrayBuffer => new Uint8Array([seq, 2, 3]).buffer;
const frame = (seq: number) => ({ ...header(seq), bytes: new Uint8Array([seq, 2, 3]) });

/** A stream that was asked for its first event, and the socket under it, open. */
async function opened(options?: object) {
  const { door, network } = connect();
  const events = door.stream(options);
  const first = events.next();
  const socket = await network.next();
  socket.accept();
  return { events, first, socket, network };
}

/** The next so many events. */
async function take(events: ReturnType<Device['stream']>, count: number): Promise<unknown[]> {
  const taken: unknown[] = [];
  while (taken.length < count) taken.push((await events.next()).value);
  return taken;
}

const sendFrames = (socket: ScriptedSocket, ...seqs: readonly number[]): void => {
  for (const seq of seqs) socket.tell(header(seq), image(seq));
};

describe('the stream of a device', () => {
  it('gives what the service tells, in its order, images as bytes', async () => {
    verifies('client.devices');
    const { events, first, socket } = await opened();
    const insight = { type: 'insight', watcher: 'w', seq: 1 };
    socket.tell(hello, header(1), image(1), { type: 'telemetry', data: { light: 4 } }, insight);
    socket.tell({ type: 'status', status: 'stale' });
    expect((await first).value).toEqual(hello);
    expect(await take(events, 4)).toEqual([
      frame(1),
      { type: 'telemetry', data: { light: 4 } },
      insight,
      { type: 'status', status: 'stale' },
    ]);
  });

  it('connects when it is asked for an event, once, with the credential in the query', async () => {
    const { door, network } = connect();
    const events = door.stream({ fps: 2 });
    expect(network.sockets).toHaveLength(0);
    void events.next();
    void events.next();
    expect(network.sockets.map(({ url, binaryType }) => [url, binaryType])).toEqual([
      ['wss://yard.example/in/devices/door/stream?fps=2&access_token=sesame', 'arraybuffer'],
    ]);
  });

  it('gives headers alone with frames: meta', async () => {
    const { first, socket } = await opened({ frames: 'meta' });
    expect(socket.url).toContain('/stream?frames=meta&');
    socket.tell(header(4));
    expect((await first).value).toEqual(header(4));
  });

  it('keeps the newest frame for a consumer that is busy, and tells first how many are gone', async () => {
    verifies('client.devices');
    const { events, first, socket } = await opened();
    sendFrames(socket, 1, 2, 3);
    expect((await first).value).toEqual({ type: 'lagged', skipped: 2 });
    expect(await take(events, 1)).toEqual([frame(3)]);
    sendFrames(socket, 4);
    socket.tell({ type: 'lagged', skipped: 5 });
    sendFrames(socket, 10, 11);
    expect(await take(events, 2)).toEqual([{ type: 'lagged', skipped: 7 }, frame(11)]);
  });

  it('accounts for every frame, however long the consumer is busy', async () => {
    const { events, first, socket } = await opened();
    sendFrames(socket, ...Array.from({ length: 250 }, (_, i) => i + 1));
    expect([(await first).value, ...(await take(events, 1))]).toEqual([
      { type: 'lagged', skipped: 249 },
      { ...frame(250), bytes: new Uint8Array([250, 2, 3]) },
    ]);
  });

  it('keeps the newest reading, status and greeting, and 32 insights, and counts the rest', async () => {
    const { events, first, socket } = await opened();
    const insights = Array.from({ length: 33 }, (_, i) => ({ type: 'insight', run_id: String(i) }));
    socket.tell({ type: 'telemetry', data: { light: 1 } }, { type: 'status', status: 'stale' }, hello);
    socket.tell(...insights, { type: 'telemetry', data: { light: 2 } }, { ...hello, boot: 'b2' });
    expect([(await first).value, ...(await take(events, 35))]).toEqual([
      { type: 'lagged', skipped: 3 },
      { type: 'status', status: 'stale' },
      ...insights.slice(1),
      { type: 'telemetry', data: { light: 2 } },
      { ...hello, boot: 'b2' },
    ]);
  });

  it('ignores what it does not know: types, texts that are no records, bytes without a header', async () => {
    verifies('aside.socket.unknown-ignored');
    const { events, first, socket } = await opened();
    socket.tell({ type: 'weather' }, { no: 'type' }, image(9));
    for (const text of ['', '{', 'null', '7', '[]']) socket.tellText(text);
    sendFrames(socket, 1);
    socket.tell(image(8));
    expect((await first).value).toEqual(frame(1));
    socket.tell(hello);
    expect(await take(events, 1)).toEqual([hello]);
  });

  it('forgets a header whose image was lost with the connection', async () => {
    const { first, socket, network } = await opened();
    socket.tell(header(1));
    socket.drop();
    const again = await network.next();
    again.accept();
    again.tell(image(1), hello);
    expect((await first).value).toEqual(hello);
  });

  it.each(['break', 'return', 'abort'])('closes its socket and ends on %s', async (way) => {
    verifies('client.devices');
    const abort = new AbortController();
    const { events, first, socket } = await opened({ signal: abort.signal });
    socket.tell(hello);
    await first;
    sendFrames(socket, 1, 2);
    if (way === 'break') for await (const _ of events) break;
    else if (way === 'return') await events.return?.();
    else {
      await take(events, 2);
      const pending = [events.next(), events.next()];
      abort.abort();
      expect(await Promise.all(pending)).toEqual([
        { value: undefined, done: true },
        { value: undefined, done: true },
      ]);
    }
    expect(socket.closed).toBe(true);
    expect(await events.next()).toEqual({ value: undefined, done: true });
  });

  it('opens nothing when it ended, or was aborted, before it began', async () => {
    const { door, network } = connect();
    const events = door.stream();
    await events.return?.();
    expect((await events.next()).done).toBe(true);
    expect((await door.stream({ signal: AbortSignal.abort() }).next()).done).toBe(true);
    expect(network.sockets).toHaveLength(0);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses %s frames a second', (fps) => {
    expect(() => connect().door.stream({ fps })).toThrow(new TypeError('"fps" is a number above 0'));
  });
});
