import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LongCalls } from '../../src/budget/long-calls.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('LongCalls', () => {
  it.each([0, 1, 24])('tells of a call once, 25 to 50 ms after it began: %i ms after another', (ms) => {
    const calls = new LongCalls();
    const onLong = vi.fn<() => void>();
    calls.add(() => {});
    vi.advanceTimersByTime(ms);
    calls.add(onLong);
    vi.advanceTimersByTime(24);
    expect(onLong).not.toHaveBeenCalled();
    vi.advanceTimersByTime(26);
    expect(onLong).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1_000);
    expect(onLong).toHaveBeenCalledTimes(1);
  });

  it.each([0, 30])('tells of none that has ended before: after %i ms', (ms) => {
    const calls = new LongCalls();
    const onLong = vi.fn<() => void>();
    const end = calls.add(onLong);
    vi.advanceTimersByTime(ms);
    end();
    vi.advanceTimersByTime(1_000);
    expect(onLong).not.toHaveBeenCalled();
  });

  it('has no timer while nothing is under way', () => {
    const calls = new LongCalls();
    expect(vi.getTimerCount()).toBe(0);
    for (let i = 0; i < 3; i++) calls.add(() => {});
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(100);
    expect(vi.getTimerCount()).toBe(0);
    const onLong = vi.fn<() => void>();
    calls.add(onLong);
    vi.advanceTimersByTime(100);
    expect(onLong).toHaveBeenCalledTimes(1);
  });
});
