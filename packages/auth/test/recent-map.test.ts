import { describe, expect, it } from 'vitest';
import { RecentMap } from '../src/jwt/recent-map.ts';

const held = (map: RecentMap<number>, names: string): string =>
  names
    .split('')
    .filter((name) => map.get(name) !== undefined)
    .join('');

describe('RecentMap', () => {
  it('holds as many entries as its size, and no more', () => {
    const map = new RecentMap<number>(3);
    for (const name of 'ab') map.set(name, 1);
    expect(held(map, 'abcd')).toBe('ab');
    map.set('c', 1);
    expect(held(map, 'abcd')).toBe('abc');
    map.set('d', 1);
    expect(held(map, 'abcd')).toBe('bcd');
  });

  it('drops the one not used for longest, whether it was read or written', () => {
    const map = new RecentMap<number>(3);
    for (const name of 'abc') map.set(name, 1);
    map.get('a');
    map.set('b', 2);
    map.set('d', 1);
    expect(held(map, 'abcd')).toBe('abd');
  });

  it('keeps the newest value, and counts a name once', () => {
    const map = new RecentMap<number>(2);
    for (const value of [1, 2, 3]) map.set('a', value);
    map.set('b', 1);
    expect(map.get('a')).toBe(3);
    expect(held(map, 'ab')).toBe('ab');
  });
});
