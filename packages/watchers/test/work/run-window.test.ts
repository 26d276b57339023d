import { describe, expect, it } from 'vitest';
import { hourMs, RunWindow } from '../../src/work/run-window.ts';

describe('RunWindow', () => {
  it('is full at its limit, until the oldest run is an hour old', () => {
    const window = new RunWindow(2);
    window.add(0);
    expect(window.freeAtMs(10)).toBeUndefined();
    window.add(10);
    expect(window.freeAtMs(20)).toBe(hourMs);
    expect(window.freeAtMs(hourMs - 1)).toBe(hourMs);
    expect(window.freeAtMs(hourMs)).toBeUndefined();
    window.add(hourMs);
    expect(window.freeAtMs(hourMs)).toBe(hourMs + 10);
  });
});
