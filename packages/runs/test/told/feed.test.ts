import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Feed } from '../../src/told/feed.ts';

const never = new AbortController().signal;
const piece = { agent: 'desk', text: 'It ' };
const first = (): number => 0;

describe('the feed', () => {
  it('keeps nothing of a root that nobody follows and that writes nothing', () => {
    const feed = new Feed();
    feed.stored('r', 'r', 1);
    feed.turn('r');
    feed.ended('r');
    expect(feed.size).toBe(0);
    feed.write('r', 'r', piece, first);
    expect(feed.size).toBe(1);
    feed.stored('r', 'r', 2);
    expect(feed.size).toBe(0);
    feed.write('r', 'r', piece, first);
    feed.ended('r');
    expect(feed.size).toBe(0);
  });

  it('forgets a root with the last who follows it', () => {
    const feed = new Feed();
    const [one, other] = [feed.follow('r', true, never), feed.follow('r', true, never)];
    feed.write('r', 'r', piece, first);
    feed.stored('r', 'r', 1);
    feed.leave('r', one);
    expect(feed.size).toBe(1);
    feed.leave('r', other);
    expect(feed.size).toBe(0);
  });

  it('keeps what is being written when those who follow leave', () => {
    const feed = new Feed();
    const one = feed.follow('r', true, never);
    feed.write('r', 'r', piece, first);
    feed.leave('r', one);
    expect([...feed.follow('r', true, never).written(0)]).toHaveLength(1);
  });

  it('wakes who follows for what is stored, and for what is written', async () => {
    const feed = new Feed();
    const one = feed.follow('r', false, never);
    one.stale = false;
    const stored = one.wait();
    feed.stored('r', 'r', 1);
    await stored;
    expect(one.stale).toBe(true);
    one.stale = false;
    const written = one.wait();
    feed.write('r', 'r', piece, first);
    await written;
    expect(one.stale).toBe(false);
    expect([...one.written(1)]).toHaveLength(1);
    feed.leave('r', one);
  });

  it('waits for nothing more when the signal has fired', async () => {
    const leave = new AbortController();
    const feed = new Feed();
    const one = feed.follow('r', false, leave.signal);
    one.stale = false;
    const waiting = one.wait();
    leave.abort();
    await waiting;
    await one.wait();
    expect(one.stale).toBe(false);
    feed.leave('r', one);
  });

  it('tells a few at once, and a crowd together what came since it was told last', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    for (const [count, ms] of [
      [9, 0],
      [10, 1],
      [500, 50],
    ] as const) {
      const feed = new Feed();
      const all = Array.from({ length: count }, () => feed.follow('r', true, never));
      const told = (): number => all.filter(({ stale }) => stale).length;
      feed.stored('r', 'r', 1);
      expect(told()).toBe(count);
      for (const one of all) one.stale = false;
      feed.stored('r', 'r', 2);
      feed.stored('r', 'r', 3);
      if (ms > 1) vi.advanceTimersByTime(ms - 1);
      if (ms > 0) expect(told()).toBe(0);
      vi.advanceTimersByTime(1);
      expect(told()).toBe(count);
      expect(all[0]?.version).toBe(3);
      for (const one of all) feed.leave('r', one);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it('looks by the clock, once for all, and less often the longer nothing comes of it', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const feed = new Feed();
    const all = [feed.follow('r', true, never), feed.follow('r', true, never)];
    const looks: number[] = [];
    const wait = (seconds: number): void => {
      for (let i = 0; i < seconds; i++) {
        const before = all[0]?.version;
        vi.advanceTimersByTime(1_000);
        looks.push((all[0]?.version ?? 0) - (before ?? 0));
      }
    };
    wait(11);
    expect(looks.splice(0)).toEqual([1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]);
    all[0]?.found();
    wait(3);
    expect(looks.splice(0)).toEqual([1, 0, 1]);
    for (const one of all) feed.leave('r', one);
    expect(vi.getTimerCount()).toBe(0);
  });
});
