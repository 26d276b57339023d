import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Patience } from '../src/transport/patience.ts';

describe('Patience', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('tells of each wait once its own time is over, from one timer', () => {
    const patience = new Patience(1_000);
    const told: string[] = [];
    patience.wait(() => told.push('a'));
    vi.advanceTimersByTime(400);
    patience.wait(() => told.push('b'));
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(599);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(2);
    expect(told).toEqual(['a']);
    vi.advanceTimersByTime(400);
    expect(told).toEqual(['a', 'b']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('says nothing of a wait that was over before', () => {
    const patience = new Patience(1_000);
    const told: string[] = [];
    const cancel = patience.wait(() => told.push('a'));
    patience.wait(() => told.push('b'));
    cancel();
    vi.advanceTimersByTime(10_000);
    expect(told).toEqual(['b']);
  });

  it('takes no harm from a wait that is cancelled twice, or after it was told', () => {
    const patience = new Patience(1_000);
    const told: string[] = [];
    const first = patience.wait(() => told.push('a'));
    vi.advanceTimersByTime(500);
    const second = patience.wait(() => told.push('b'));
    patience.wait(() => told.push('c'));
    second();
    second();
    vi.advanceTimersByTime(501);
    expect(told).toEqual(['a']);
    first();
    vi.advanceTimersByTime(500);
    expect(told).toEqual(['a', 'c']);
  });

  it('starts anew after it stood still', () => {
    const patience = new Patience(1_000);
    const told: string[] = [];
    patience.wait(() => told.push('a'))();
    vi.advanceTimersByTime(5_000);
    expect(vi.getTimerCount()).toBe(0);
    patience.wait(() => told.push('b'));
    vi.advanceTimersByTime(1_001);
    expect(told).toEqual(['b']);
  });
});
