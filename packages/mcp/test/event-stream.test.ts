import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventStream } from '../src/transport/event-stream.ts';
import { readEvents } from './support.ts';

const open = (keepAliveMs = 15_000) => {
  const gone: unknown[] = [];
  const stream = new EventStream({ keepAliveMs, onGone: (reason) => gone.push(reason) });
  return { stream, gone };
};
const numbersOf = async (stream: EventStream) =>
  (await readEvents(stream.readable)).messages as unknown as readonly number[];

describe('EventStream', () => {
  it('sends notifications in order, then the response, and ends', async () => {
    const { stream, gone } = open();
    stream.send('1');
    stream.send('2');
    stream.end('3');
    expect(await numbersOf(stream)).toEqual([1, 2, 3]);
    expect(gone).toEqual([]);
  });

  it('sends to a reader that is waiting at once', async () => {
    const { stream } = open();
    const reader = stream.readable.getReader();
    const read = async () => new TextDecoder().decode((await reader.read()).value);
    const first = read();
    stream.send('{"n":1}');
    expect(await first).toBe('event: message\ndata: {"n":1}\n\n');
    const last = read();
    stream.end('{"n":2}');
    expect(await last).toBe('event: message\ndata: {"n":2}\n\n');
    expect((await reader.read()).done).toBe(true);
  });

  it.each([
    [15, 0],
    [16, 0],
    [17, 1],
  ])(
    'keeps the newest 16 notifications for a reader that does not read: of %i, %i are lost',
    async (sent, lost) => {
      const { stream } = open();
      const numbers = Array.from({ length: sent }, (_, i) => i);
      for (const i of numbers) stream.send(String(i));
      stream.end('"last"');
      expect(await numbersOf(stream)).toEqual([...numbers.slice(lost), 'last']);
    },
  );

  it('sends nothing after the response', async () => {
    const { stream } = open();
    stream.end('1');
    stream.send('2');
    stream.end('3');
    expect(await numbersOf(stream)).toEqual([3]);
  });

  it('keeps the lines of a message together', async () => {
    const { stream } = open();
    stream.end('{\n"a": 1\r\n}');
    const { value } = await stream.readable.getReader().read();
    expect(new TextDecoder().decode(value)).toBe('event: message\ndata: {\ndata: "a": 1\ndata: }\n\n');
  });

  it('says when its reader goes away, and takes no more', async () => {
    const { stream, gone } = open();
    await stream.readable.cancel('bye');
    stream.send('1');
    stream.end('2');
    expect(gone).toEqual(['bye']);
  });
});

describe('the keep-alive of an EventStream', () => {
  // Alone: whoever runs the tests has timeouts of their own.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  it('is a comment, as often as it was asked for, while nothing else comes', async () => {
    const { stream } = open(100);
    const pending = readEvents(stream.readable);
    await vi.advanceTimersByTimeAsync(350);
    stream.end('1');
    expect(await pending).toEqual({ messages: [1], keptAlive: 3 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not pile up for a reader that does not read', async () => {
    const { stream } = open(100);
    await vi.advanceTimersByTimeAsync(1_000);
    stream.end('1');
    expect(await readEvents(stream.readable)).toEqual({ messages: [1], keptAlive: 0 });
  });

  it('stops when the reader goes away', async () => {
    const { stream } = open(100);
    await stream.readable.cancel();
    expect(vi.getTimerCount()).toBe(0);
  });
});
