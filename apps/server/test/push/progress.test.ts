import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Progress } from '../../src/cli/push/progress.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Progress of a publisher that the test changes. */
function shown({ json = false, isTTY = false, columns = 100 } = {}) {
  const publisher = { state: 'open' as const, taken: 0, refused: 0, dropped: 0, roundTripMs: 12.4 };
  let text = '';
  const output = { write: (piece: string) => (text += piece), isTTY, columns };
  const hide = (words: string): string => words.replaceAll('secret', '…');
  const progress = new Progress({ output, json, device: 'door', hide, publisher: () => publisher });
  const take = (): string => {
    const told = text;
    text = '';
    return told;
  };
  return { progress, publisher, take };
}

describe('the progress of a push', () => {
  it('is a line every 10 s where no terminal reads it', () => {
    const { progress, publisher, take } = shown();
    for (let i = 0; i < 100; i++) progress.frame(48_200);
    Object.assign(publisher, { taken: 95, refused: 2, dropped: 3 });
    progress.refused('a device takes 9 frames a second');
    vi.advanceTimersByTime(9_999);
    expect(take()).toBe('');
    vi.advanceTimersByTime(1);
    expect(take()).toBe(
      'door: 9.5 fps, 48 KB/frame, 95 taken, 3 dropped, 2 refused (a device takes 9 frames a second), 12 ms, open\n',
    );
    vi.advanceTimersByTime(10_000);
    expect(take()).toContain('door: 0 fps, 0 KB/frame, 95 taken');
  });

  it('is one line that changes on a terminal, with notes above it', () => {
    const { progress, take } = shown({ isTTY: true });
    progress.frame(1_000);
    vi.advanceTimersByTime(1_000);
    const line = 'door: 0 fps, 1 KB/frame, 0 taken, 0 dropped, 0 refused, 12 ms, open\u001b[K';
    expect(take()).toBe(`\r${line}`);
    progress.note('it broke at secret\u001b[2J\nagain');
    expect(take()).toBe('\rit broke at …\\u001b[2J again\u001b[K\n');
    progress.close();
    expect(take()).toBe(`\r${line.replace('1 KB', '0 KB')}\n`);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is no longer than a row of the terminal, and ends with it', () => {
    const { progress, take } = shown({ isTTY: true, columns: 20 });
    vi.advanceTimersByTime(1_000);
    expect(take()).toBe('\rdoor: 0 fps, 0 KB/f\u001b[K');
    progress.close();
    expect(take()).toBe('\n');
    const unknown = shown({ isTTY: true, columns: 0 });
    vi.advanceTimersByTime(1_000);
    expect(unknown.take()).toContain('open\u001b[K');
  });

  it('is records for programs', () => {
    const { progress, publisher, take } = shown({ json: true, isTTY: true });
    progress.note('a secret');
    expect(JSON.parse(take())).toEqual({ type: 'note', message: 'a …', device: 'door' });
    publisher.taken = 5;
    progress.frame(10);
    vi.advanceTimersByTime(10_000);
    expect(JSON.parse(take())).toEqual({
      ...{ type: 'progress', device: 'door', state: 'open', fps: 0.5, frame_bytes: 10, round_trip_ms: 12 },
      ...{ taken: 5, refused: 0, dropped: 0, refusal: null },
    });
  });

  it('says nothing in the end when there was nothing', () => {
    const { progress, take } = shown();
    progress.close();
    expect(take()).toBe('');
  });
});
