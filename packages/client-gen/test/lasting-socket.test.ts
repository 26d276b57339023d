import { verifies } from '@waymark/contract/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { refusal, yardClient } from './device-project.ts';
import { states } from './states.ts';

const connect = yardClient();

afterEach(() => {
  vi.useRealTimers();
});

describe('a socket of a generated client', () => {
  it.each([
    [0, [500, 500, 500, 500, 500, 500, 500]],
    [0.5, [750, 1_250, 2_250, 4_250, 7_750, 7_750, 7_750]],
    [1, [1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]],
  ])('tries again after half a second to fifteen, by chance %d', async (chance, waits) => {
    verifies('client.devices');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    vi.spyOn(Math, 'random').mockReturnValue(chance);
    const { door, network } = connect();
    const publisher = door.publish();
    for (const wait of waits) {
      const socket = await network.next();
      socket.accept();
      socket.drop();
      const { length } = network.sockets;
      vi.advanceTimersByTime(wait - 1);
      expect([publisher.state, network.sockets.length]).toEqual(['waiting', length]);
      vi.advanceTimersByTime(1);
      expect(publisher.state).toBe('connecting');
    }
  });

  it('begins with a short pause again after a connection that held', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const { door, network } = connect();
    door.publish();
    for (const [held, wait] of [
      [15_000, 1_000],
      [15_000, 2_000],
      [15_001, 1_000],
    ] as const) {
      const socket = await network.next();
      socket.accept();
      vi.advanceTimersByTime(held);
      socket.drop();
      const { length } = network.sockets;
      vi.advanceTimersByTime(wait - 1);
      expect(network.sockets).toHaveLength(length);
      vi.advanceTimersByTime(1);
      expect(network.sockets).toHaveLength(length + 1);
    }
  });

  it('gives up a handshake after fifteen seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { door, network } = connect();
    const publisher = door.publish();
    const socket = await network.next();
    vi.advanceTimersByTime(14_999);
    expect([publisher.state, socket.closed]).toEqual(['connecting', false]);
    vi.advanceTimersByTime(1);
    expect([publisher.state, socket.closed]).toEqual(['waiting', true]);
    socket.accept();
    expect(publisher.state).toBe('waiting');
  });

  it.each([401, 403, 404])('ends with the reason of a handshake that was refused with %i', async (status) => {
    verifies('client.devices');
    const { door, network, asked } = connect({}, () => refusal(status));
    const stream = door.stream();
    const first = stream.next();
    (await network.next()).drop();
    await expect(first).rejects.toMatchObject({ name: 'ProblemError', status, detail: `no: ${status}` });
    expect(await stream.next()).toEqual({ value: undefined, done: true });
    const { onState, until } = states();
    const publisher = door.publish({ onState });
    expect(publisher.frame(new Uint8Array(1))).toBe(false);
    (await network.next()).drop();
    expect((await until('closed')).error).toMatchObject({ name: 'ProblemError', status });
    expect(() => publisher.frame(new Uint8Array(1))).toThrow(`no: ${status}`);
    expect(() => publisher.telemetry({})).toThrow(`no: ${status}`);
    expect(publisher.dropped).toBe(1);
    expect(asked).toEqual([
      { method: 'GET', url: 'https://yard.example/in/devices/door/telemetry' },
      { method: 'POST', url: 'https://yard.example/in/devices/door/telemetry' },
    ]);
    expect(network.sockets).toHaveLength(2);
  });

  it.each([
    ['200', () => new Response('{}')],
    ['400', () => refusal(400)],
    ['429', () => refusal(429)],
    ['503', () => refusal(503)],
    ['nobody answers', () => Promise.reject(new TypeError('fetch failed'))],
  ])('tries again when the service is there, busy or away: %s', async (_, answer) => {
    const { door, network } = connect({}, answer);
    const { onState, until } = states();
    const publisher = door.publish({ onState });
    (await network.next()).drop();
    await until('waiting');
    publisher.close();
  });

  it.each([1000, 1001, 1006, 1009, 1011, 1013, 4401])('comes back after close code %i', async (code) => {
    const { door, network, asked } = connect();
    const { onState, seen } = states();
    const publisher = door.publish({ onState });
    const socket = await network.next();
    socket.accept();
    socket.drop(code);
    expect(seen).toEqual([
      { state: 'open', error: undefined },
      { state: 'waiting', error: expect.objectContaining({ name: 'SocketError', code }) as Error },
    ]);
    expect(asked).toEqual([]);
    publisher.close();
  });

  it.each([1008, 4403, 4404])('stays away after close code %i', async (code) => {
    const { door, network } = connect();
    const stream = door.stream();
    const first = stream.next();
    const socket = await network.next();
    socket.accept();
    socket.tell({ type: 'hello' });
    socket.drop(code, 'go away');
    expect((await first).value).toEqual({ type: 'hello' });
    await expect(stream.next()).rejects.toMatchObject({ name: 'SocketError', code, message: 'go away' });
    expect((await stream.next()).done).toBe(true);
  });

  it('takes the token where there is a key, too', async () => {
    const { door, network } = connect({ token: 'jwt' });
    door.publish();
    expect((await network.next()).url).toMatch(/\?receipts=1&access_token=jwt$/);
  });

  it('needs no credential', async () => {
    const { door, network } = connect({ apiKey: undefined });
    door.publish();
    expect((await network.next()).url).toBe('wss://yard.example/in/devices/door/ws?receipts=1');
  });

  it.each([{ apiKey: null }, { token: async () => null }])('sends no null as one: %o', async (credential) => {
    const { door, network } = connect(credential);
    const told = states();
    const publisher = door.publish({ onState: told.onState });
    const { error } = await told.until('waiting');
    expect(error).toEqual(new TypeError('"access_token" cannot be null in a query'));
    expect(network.sockets).toHaveLength(0);
    publisher.close();
  });

  it('puts the credential into no error', async () => {
    verifies('client.devices');
    class Refusing {
      constructor(url: string) {
        throw new SyntaxError(`cannot open ${url}`);
      }
    }
    const { door } = connect({ WebSocket: Refusing });
    const error = await door
      .stream()
      .next()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      name: 'TypeError',
      message: 'no WebSocket can be opened to wss://yard.example/in/devices/door/stream',
    });
    expect(String((error as Error).stack)).not.toContain('sesame');
    expect(error).not.toHaveProperty('cause');
    expect(() => connect({ baseUrl: 'nowhere' }).door.publish()).toThrow('Invalid URL');
  });

  it('leads to ws where the service is reached by http, and says when there is no WebSocket', async () => {
    const { door, network } = connect({ baseUrl: new URL('http://127.0.0.1:8000') });
    door.publish();
    expect((await network.next()).url).toMatch(/^ws:\/\/127\.0\.0\.1:8000\/devices\/door\/ws\?/);
    vi.stubGlobal('WebSocket', undefined);
    expect(() => connect({ WebSocket: undefined }).door.publish()).toThrow('there is no global WebSocket');
    vi.unstubAllGlobals();
  });
});
