import { decodeTime, isValid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { createIds } from '../src/index.ts';

describe('createIds', () => {
  it('makes ULIDs: unique, and sorted in the order they were made', () => {
    const newId = createIds();
    const ids = Array.from({ length: 100_000 }, newId);
    expect(ids.every(isValid)).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.toSorted()).toEqual(ids);
  });

  it('sorts them by time, and within one millisecond', () => {
    let nowMs = 1_000_000;
    const newId = createIds(() => nowMs);
    const first = [newId(), newId()];
    nowMs += 1;
    const ids = [...first, newId()];
    expect(ids.map(decodeTime)).toEqual([1_000_000, 1_000_000, 1_000_001]);
    expect(ids.toSorted()).toEqual(ids);
  });

  it('keeps the order when the clock goes back', () => {
    let nowMs = 1_000_000;
    const newId = createIds(() => nowMs);
    const before = newId();
    nowMs -= 60_000;
    expect(newId() > before).toBe(true);
  });

  it('has more than a million for a millisecond', () => {
    const newId = createIds(() => 1_000_000);
    let before = '';
    for (let i = 0; i < 1_100_000; i++) {
      const id = newId();
      if (!(id > before) || id.length !== 26) throw new Error(`${id} after ${before}`);
      before = id;
    }
    expect(decodeTime(before)).toBe(1_000_000);
  });

  it('never makes the same in two sources', () => {
    const sources = Array.from({ length: 50 }, () => createIds(() => 1));
    expect(new Set(sources.flatMap((newId) => [newId(), newId()])).size).toBe(100);
  });

  it('uses every letter of the alphabet', () => {
    let nowMs = 0;
    const newId = createIds(() => ++nowMs);
    const letters = new Set(Array.from({ length: 2_000 }, () => newId().slice(10)).join(''));
    expect(letters.size).toBe(32);
  });
});
