import { describe, expect, it } from 'vitest';
import { Feed } from '../../src/told/feed.ts';

const never = new AbortController().signal;
const piece = { agent: 'desk', text: 'It ' };

describe('the feed', () => {
  it('keeps nothing of a root that nobody follows and that writes nothing', () => {
    const feed = new Feed();
    feed.stored('r', 'r', 1);
    feed.turn('r');
    feed.ended('r');
    expect(feed.size).toBe(0);
    feed.write('r', 'r', piece);
    expect(feed.size).toBe(1);
    feed.stored('r', 'r', 2);
    expect(feed.size).toBe(0);
    feed.write('r', 'r', piece);
    feed.ended('r');
    expect(feed.size).toBe(0);
  });

  it('forgets a root with the last who follows it', () => {
    const feed = new Feed();
    const [one, other] = [feed.follow('r', true), feed.follow('r', true)];
    feed.write('r', 'r', piece);
    feed.stored('r', 'r', 1);
    feed.leave('r', one);
    expect(feed.size).toBe(1);
    feed.leave('r', other);
    expect(feed.size).toBe(0);
  });

  it('keeps what is being written when those who follow leave', () => {
    const feed = new Feed();
    const one = feed.follow('r', true);
    feed.write('r', 'r', piece);
    feed.leave('r', one);
    expect([...feed.follow('r', true).written(0)]).toHaveLength(1);
  });

  it('wakes who follows for what is stored, and for what is written', async () => {
    const feed = new Feed();
    const one = feed.follow('r', false);
    one.stale = false;
    const stored = one.wait(10_000, never);
    feed.stored('r', 'r', 1);
    expect(await stored).toBe(true);
    expect(one.stale).toBe(true);
    one.stale = false;
    const written = one.wait(10_000, never);
    feed.write('r', 'r', piece);
    expect(await written).toBe(true);
    expect(one.stale).toBe(false);
    expect([...one.written(1)]).toHaveLength(1);
    expect(await one.wait(1, never)).toBe(false);
  });

  it('waits for nothing more when the signal has fired', async () => {
    const leave = new AbortController();
    const feed = new Feed();
    const one = feed.follow('r', false);
    one.stale = false;
    const waiting = one.wait(10_000, leave.signal);
    leave.abort();
    expect(await waiting).toBe(true);
    expect(await one.wait(10_000, leave.signal)).toBe(true);
  });
});
