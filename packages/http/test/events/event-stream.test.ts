import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { EventStream } from '../../src/events/event-stream.ts';

/** More than goes out before a reader asks. */
const large = 'x'.repeat(70_000);

interface Opened {
  readonly stream: EventStream;
  readonly begun: () => number;
}

function open(mayBegin = () => true): Opened {
  let times = 0;
  const onBegin = (): void => {
    times += 1;
  };
  const stream = new EventStream({ keepAliveMs: 15_000, mayBegin, onBegin, tooSlow: () => 'too slow' });
  onTestFinished(() => stream.stop());
  return { stream, begun: () => times };
}

/** Everything that is said until the end. */
async function read({ stream }: Opened): Promise<string> {
  return new Response(stream.bytes as ReadableStream<Uint8Array<ArrayBuffer>>).text();
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

describe('EventStream', () => {
  it('says everything in order while there is room, however fast it comes', async () => {
    const opened = open();
    for (let i = 1; i <= 3; i++) opened.stream.tell({ event: 'progress', data: { done: i } });
    opened.stream.tell({ event: 'step', data: 'four', id: '4' });
    opened.stream.end('the end');
    expect(await read(opened)).toBe(
      [
        'event: progress\ndata: {"done":1}\n\n',
        'event: progress\ndata: {"done":2}\n\n',
        'event: progress\ndata: {"done":3}\n\n',
        'id: 4\nevent: step\ndata: "four"\n\n',
        'the end',
      ].join(''),
    );
  });

  it('keeps the newest of a kind and every event with an id for a reader that is behind, and the end in any case', async () => {
    const opened = open();
    opened.stream.tell({ event: 'progress', data: large });
    for (let i = 1; i <= 1000; i++) {
      opened.stream.tell({ event: 'progress', data: i });
      if (i % 100 === 0) opened.stream.tell({ event: 'step', data: i, id: `${i}` });
    }
    opened.stream.end('the end');
    const events = (await read(opened)).split('\n\n').slice(1);
    expect(events).toEqual([
      ...[100, 200, 300, 400, 500, 600, 700, 800, 900].map((i) => `id: ${i}\nevent: step\ndata: ${i}`),
      'event: progress\ndata: 1000',
      'id: 1000\nevent: step\ndata: 1000',
      'the end',
    ]);
  });

  it('leaves out no event with an id: a reader who is too far behind is told so, and nothing behind the gap', async () => {
    const opened = open();
    opened.stream.tell({ event: 'progress', data: large });
    for (let id = 1; id <= 60; id++) opened.stream.tell({ event: 'step', data: large, id: `${id}` });
    opened.stream.tell({ event: 'progress', data: 'later' });
    opened.stream.end('the end');
    const events = (await read(opened)).split('\n\n').slice(1);
    const ids = events.slice(0, -1).map((event) => Number(/^id: (\d+)/.exec(event)?.[1]));
    expect(ids).toEqual(ids.map((_, i) => i + 1));
    expect(ids.length).toBeGreaterThan(10);
    expect(ids.length).toBeLessThan(20);
    expect(events.at(-1)).toBe('too slow');
  });

  it('sends an event that is larger than all that may wait, if its reader is not behind', async () => {
    const opened = open();
    opened.stream.tell({ event: 'progress', data: 'x'.repeat(2_000_000) });
    opened.stream.end('the end');
    expect(await read(opened)).toHaveLength(2_000_000 + 'event: progress\ndata: ""\n\nthe end'.length);
  });

  it('begins once, with the first event', () => {
    const { stream, begun } = open();
    expect([stream.begun, begun()]).toEqual([false, 0]);
    stream.tell({ event: 'progress', data: undefined });
    stream.tell({ event: 'progress', data: 2 });
    stream.end('the end');
    expect([stream.begun, begun()]).toEqual([true, 1]);
  });

  it('refuses what is no JSON and goes on', async () => {
    const opened = open();
    expect(() => opened.stream.tell({ event: 'progress', data: 1n })).toThrow(TypeError);
    expect(() => opened.stream.tell({ event: 'a\nb', data: 1 })).toThrow(TypeError);
    expect(opened.begun()).toBe(0);
    opened.stream.tell({ event: 'progress', data: undefined });
    opened.stream.end('the end');
    expect(await read(opened)).toBe('event: progress\ndata: null\n\nthe end');
  });

  it('writes what was told as it was then', async () => {
    const opened = open();
    const counter = { done: 1 };
    opened.stream.tell({ event: 'progress', data: large });
    opened.stream.tell({ event: 'progress', data: counter });
    counter.done = 2;
    opened.stream.end('');
    expect(await read(opened)).toContain('{"done":1}');
  });

  it('comments on each 15 s of silence', async () => {
    const opened = open();
    opened.stream.tell({ event: 'progress', data: 1 });
    vi.advanceTimersByTime(14_999);
    opened.stream.tell({ event: 'progress', data: 2 });
    vi.advanceTimersByTime(14_999);
    opened.stream.tell({ event: 'progress', data: 3 });
    vi.advanceTimersByTime(30_000);
    opened.stream.end('the end');
    const said = await read(opened);
    expect(said.replaceAll(/event: progress\ndata: /g, '')).toBe('1\n\n2\n\n3\n\n:\n\n:\n\nthe end');
  });

  it('begins with a comment as soon as nothing can be refused any more', async () => {
    let arrived = false;
    const opened = open(() => arrived);
    vi.advanceTimersByTime(60_000);
    expect(opened.begun()).toBe(0);
    arrived = true;
    vi.advanceTimersByTime(15_000);
    expect(opened.begun()).toBe(1);
    opened.stream.end('the end');
    expect(await read(opened)).toBe(':\n\nthe end');
  });

  it('has no comments for a reader that is behind', async () => {
    const opened = open();
    opened.stream.tell({ event: 'progress', data: large });
    vi.advanceTimersByTime(60_000);
    opened.stream.end('the end');
    expect(await read(opened)).not.toContain(':\n\n');
  });

  it.each(['cancelled', 'stopped', 'ended'])(
    'says nothing and leaves no timer once it is %s',
    async (how) => {
      const { stream, begun } = open();
      expect(vi.getTimerCount()).toBe(1);
      if (how === 'cancelled') await stream.bytes.cancel();
      else if (how === 'stopped') stream.stop();
      else stream.end('the end');
      const before = begun();
      expect(vi.getTimerCount()).toBe(0);
      stream.tell({ event: 'progress', data: 1 });
      stream.end('again');
      expect([begun(), vi.getTimerCount()]).toEqual([before, 0]);
    },
  );

  it('breaks off for its reader', async () => {
    const opened = open();
    opened.stream.tell({ event: 'progress', data: 1 });
    opened.stream.fail(new Error('broken'));
    await expect(read(opened)).rejects.toThrow('broken');
  });
});
