import { describe, expect, it } from 'vitest';
import { Deaths } from '../src/workers/deaths.ts';

describe('the deaths of processes', () => {
  it('lets the next one take the place at once, and one that does not serve after a while', () => {
    const deaths = new Deaths(() => 0);
    expect(deaths.everServed).toBe(false);
    deaths.serves(1);
    expect(deaths.everServed).toBe(true);
    expect(deaths.died(1, true)).toBe(0);
    expect([1, 2, 3, 4].map(() => deaths.died(1, false))).toEqual([200, 400, 600, 800]);
  });

  it('gives a place up after five failures in a row, and begins anew where one served', () => {
    const deaths = new Deaths(() => 0);
    for (let i = 0; i < 4; i++) deaths.died(1, false);
    deaths.serves(1);
    for (let i = 0; i < 4; i++) expect(deaths.died(1, false)).toBeDefined();
    expect(deaths.died(2, false)).toBe(200);
    expect(deaths.died(1, false)).toBeUndefined();
  });

  it('takes thirty deaths in a minute, and not one more', () => {
    let nowMs = 0;
    const deaths = new Deaths(() => nowMs);
    for (let i = 0; i < 30; i++) expect(deaths.died(i % 3, true)).toBe(0);
    nowMs = 60_000;
    for (let i = 0; i < 30; i++) expect(deaths.died(i % 3, true)).toBe(0);
    nowMs = 119_999;
    expect(deaths.died(0, true)).toBeUndefined();
  });
});
