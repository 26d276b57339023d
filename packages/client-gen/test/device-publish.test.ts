import { verifies } from '@waymark/contract/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { yardClient } from './device-project.ts';

const connect = yardClient();
const image = (first: number, length = 3): Uint8Array => new Uint8Array(length).fill(first);

/** A publisher of a camera, and its socket, open. */
async function opened(options?: object) {
  const { door, network } = connect();
  const publisher = door.publish(options);
  const socket = await network.next();
  socket.accept();
  return { publisher, socket, network };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a publisher', () => {
  it('connects at once and sends frames as bytes, readings as text', async () => {
    verifies('client.devices');
    const { publisher, socket } = await opened();
    expect(socket.url).toBe('wss://yard.example/in/devices/door/ws?receipts=1&access_token=sesame');
    expect(publisher.frame(image(1))).toBe(true);
    expect(() => publisher.telemetry({ light: Number.NaN })).toThrow('"light" cannot be NaN in JSON');
    expect(publisher.telemetry({ light: 4 })).toBe(true);
    expect(socket.sent).toEqual([image(1), '{"light":4}']);
    expect(publisher).toMatchObject({ state: 'open', dropped: 0 });
  });

  it('keeps the newest frame and reading until it is connected', async () => {
    verifies('client.devices');
    const { door, network } = connect();
    const publisher = door.publish();
    const buffer = image(1);
    for (const first of [1, 2, 3]) {
      expect(publisher.frame(buffer.fill(first))).toBe(false);
      expect(publisher.telemetry({ first })).toBe(false);
    }
    // A camera uses its buffer again.
    buffer.fill(9);
    expect(publisher).toMatchObject({ state: 'connecting', dropped: 2 });
    const socket = await network.next();
    socket.accept();
    expect(socket.sent).toEqual(['{"first":3}', image(3)]);
  });

  it.each([
    ['less than a frame', 2, true],
    ['a frame', 3, true],
    ['more than a frame', 4, false],
  ])('sends a frame while the socket holds %s: %i bytes', async (_, bufferedAmount, sent) => {
    const { publisher, socket } = await opened();
    socket.bufferedAmount = bufferedAmount;
    expect(publisher.frame(image(1))).toBe(sent);
    expect(socket.sent).toHaveLength(sent ? 1 : 0);
  });

  it.each([
    [65_536, true],
    [65_537, false],
  ])('sends a reading while the socket holds %i bytes: %s', async (bufferedAmount, sent) => {
    const { publisher, socket } = await opened();
    socket.bufferedAmount = bufferedAmount;
    expect(publisher.telemetry({ light: 1 })).toBe(sent);
  });

  it('sends what waits as soon as there is room: the newest alone', async () => {
    vi.useFakeTimers();
    const { publisher, socket } = await opened();
    socket.bufferedAmount = 70_000;
    for (const first of [1, 2, 3]) publisher.frame(image(first));
    publisher.telemetry({ light: 5 });
    vi.advanceTimersByTime(1_000);
    expect(socket.sent).toEqual([]);
    socket.bufferedAmount = 0;
    vi.advanceTimersByTime(25);
    expect(socket.sent).toEqual(['{"light":5}', image(3)]);
    expect(publisher.dropped).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives up a connection on which nothing has moved for a minute', async () => {
    vi.useFakeTimers();
    const { publisher, socket, network } = await opened();
    socket.bufferedAmount = 4;
    publisher.frame(image(1));
    vi.advanceTimersByTime(59_000);
    socket.bufferedAmount = 5;
    vi.advanceTimersByTime(59_900);
    expect(publisher.state).toBe('open');
    vi.advanceTimersByTime(200);
    expect([socket.closed, publisher.state]).toEqual([true, 'waiting']);
    vi.advanceTimersByTime(1_000);
    const again = await network.next();
    again.accept();
    // What waited is a minute old.
    expect([again.sent, publisher.dropped]).toEqual([[], 1]);
    expect(publisher.frame(image(2))).toBe(true);
  });

  it('says what the service says: its ceiling, and what went wrong', async () => {
    const heard: string[] = [];
    const { publisher, socket } = await opened({ onError: (message: string) => heard.push(message) });
    expect(publisher.maxFps).toBeUndefined();
    socket.tell({ type: 'ready', device: 'door', max_fps: 10 }, { type: 'error', message: 'too large' });
    socket.tellText('no record');
    socket.tell({ type: 'weather' });
    expect([publisher.maxFps, heard]).toEqual([10, ['too large']]);
  });

  it('sends nothing once it is closed, and counts what waited and what comes', async () => {
    const { publisher, socket, network } = await opened();
    socket.bufferedAmount = 70_000;
    publisher.frame(image(1));
    publisher.close();
    expect([publisher.state, publisher.dropped, socket.closed]).toEqual(['closed', 1, true]);
    expect([publisher.frame(image(2)), publisher.telemetry({})]).toEqual([false, false]);
    expect([publisher.dropped, socket.sent, network.sockets.length]).toEqual([2, [], 1]);
  });

  it('closes when its signal says so', async () => {
    const abort = new AbortController();
    const states: string[] = [];
    const onState = (state: string): void => void states.push(state);
    const { socket } = await opened({ signal: abort.signal, onState });
    abort.abort();
    expect([states, socket.closed]).toEqual([['open', 'closed'], true]);
    const { door, network } = connect();
    expect(door.publish({ signal: abort.signal }).state).toBe('closed');
    expect(network.sockets).toHaveLength(0);
  });
});
