import { describe, expect, it } from 'vitest';
import { PendingEvents } from '../../src/events/pending-events.ts';

const limit = 1_048_576;

function taken(pending: PendingEvents): readonly string[] {
  const texts: string[] = [];
  for (let text = pending.take(); text !== undefined; text = pending.take()) texts.push(text);
  return texts;
}

describe('PendingEvents', () => {
  it('gives the newest of each kind, in the order they came', () => {
    const pending = new PendingEvents();
    pending.put({ event: 'progress' }, 'p1');
    pending.put({ event: 'row' }, 'r1');
    pending.put({ event: 'progress' }, 'p2');
    expect(taken(pending)).toEqual(['r1', 'p2']);
    expect(pending.take()).toBeUndefined();
  });

  it('keeps events apart that have an id, even one that reads like a name', () => {
    const pending = new PendingEvents();
    pending.put({ event: 'step', id: '1' }, 'a');
    pending.put({ event: 'step', id: '2' }, 'b');
    pending.put({ event: '1' }, 'c');
    pending.put({ event: 'step', id: '1' }, 'd');
    expect(taken(pending)).toEqual(['a', 'b', 'c', 'd']);
  });

  it.each([
    ['under', limit - 1, ['1', '2', '3']],
    ['at', limit, ['1', '2', '3']],
    ['over', limit + 1, ['2', '3']],
  ])('forgets the oldest kind beyond a MiB of text: %s', (_, length, kept) => {
    const pending = new PendingEvents();
    pending.put({ event: 'a' }, '1');
    pending.put({ event: 'b' }, '2');
    expect(pending.put({ event: 'c' }, '3'.repeat(length - 2))).toBe(true);
    expect(taken(pending).map((text) => text[0])).toEqual(kept);
  });

  it.each([
    ['under', limit - 1, true],
    ['at', limit, true],
    ['over', limit + 1, false],
  ])('forgets nothing that has an id, and takes no more of it: %s', (_, length, fits) => {
    const pending = new PendingEvents();
    pending.put({ event: 'step', id: '1' }, '1');
    pending.put({ event: 'progress' }, 'p');
    pending.put({ event: 'step', id: '2' }, '2');
    expect(pending.put({ event: 'step', id: '3' }, '3'.repeat(length - 2))).toBe(fits);
    const kept = taken(pending).map((text) => text[0]);
    // What has no id makes room.
    expect(kept.filter((text) => text !== 'p')).toEqual(fits ? ['1', '2', '3'] : ['1', '2']);
  });

  it('does not count what was replaced or taken', () => {
    const pending = new PendingEvents();
    const half = limit / 2;
    for (let i = 0; i < 10; i++) pending.put({ event: 'progress' }, 'x'.repeat(half));
    pending.put({ event: 'first' }, 'y'.repeat(half));
    expect(taken(pending)).toHaveLength(2);
    pending.put({ event: 'step', id: '1' }, 'a'.repeat(half));
    pending.put({ event: 'step', id: '2' }, 'b'.repeat(half));
    expect(taken(pending)).toHaveLength(2);
  });

  it('keeps the newest event, however large it is', () => {
    const pending = new PendingEvents();
    pending.put({ event: 'a' }, 'small');
    pending.put({ event: 'b' }, 'x'.repeat(limit + 1));
    expect(taken(pending)).toEqual(['x'.repeat(limit + 1)]);
    expect(pending.put({ event: 'step', id: '1' }, 'x'.repeat(limit + 1))).toBe(true);
    pending.put({ event: 'a' }, 'small');
    expect(taken(pending)).toHaveLength(2);
  });

  it('keeps the order over any number of events that are put, replaced and taken', () => {
    const pending = new PendingEvents();
    const waiting: (readonly [kind: number, text: string])[] = [];
    for (let i = 0; i < 2_000; i++) {
      const kind = (i * 7) % 150;
      const old = waiting.findIndex(([other]) => other === kind);
      if (old !== -1) waiting.splice(old, 1);
      waiting.push([kind, `${i}`]);
      pending.put({ event: `${kind}` }, `${i}`);
      if (i % 3 === 0) expect(pending.take()).toBe(waiting.shift()?.[1]);
    }
    expect(taken(pending)).toEqual(waiting.map(([, text]) => text));
  });

  it('takes as long for each of many events as for each of a few', () => {
    const pending = new PendingEvents();
    for (let i = 0; i < 100_000; i++) pending.put({ event: 'step', id: `${i}` }, 'x');
    const startedMs = performance.now();
    expect(taken(pending)).toHaveLength(100_000);
    // About 20 ms; a walk over what was taken already made it a minute.
    expect(performance.now() - startedMs).toBeLessThan(5000);
  });
});
