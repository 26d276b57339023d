import { describe, expect, it } from 'vitest';
import { fixedClock } from '../../src/testing/index.ts';

describe('fixedClock', () => {
  it('stands still at the start of 2026, or where it is put', async () => {
    expect(fixedClock().now()).toBe(Date.parse('2026-01-01T00:00:00Z'));
    const clock = fixedClock(5);
    expect(clock.now()).toBe(5);
    await clock.advance(10);
    expect(clock.now()).toBe(15);
  });

  it('is two clocks: only the one on the wall is set', async () => {
    const clock = fixedClock(5);
    await clock.advance(10);
    const seen: number[][] = [];
    clock.after(10, () => void seen.push([clock.now(), clock.monotonic()]));
    clock.step(-1_000);
    expect([clock.now(), clock.monotonic()]).toEqual([-985, 10]);
    await clock.advance(10);
    clock.step(3_000);
    expect([clock.now(), clock.monotonic()]).toEqual([2_025, 20]);
    expect(seen).toEqual([[-975, 20]]);
  });

  it('runs timers in the order of their times, each at its own time', async () => {
    const clock = fixedClock(0);
    const seen: string[] = [];
    const note = (name: string) => () => void seen.push(`${name}@${clock.now()}`);
    clock.after(20, note('c'));
    clock.after(10, note('a'));
    clock.after(10, note('b'));
    clock.after(21, note('later'));
    expect(seen).toEqual([]);
    await clock.advance(20);
    expect(seen).toEqual(['a@10', 'b@10', 'c@20']);
    expect(clock.pending).toBe(1);
  });

  it('runs timers that a timer sets, when they fall due on the way', async () => {
    const clock = fixedClock(0);
    const seen: number[] = [];
    const again = (): void => {
      seen.push(clock.now());
      clock.after(10, again);
    };
    clock.after(10, again);
    await clock.advance(35);
    expect(seen).toEqual([10, 20, 30]);
    expect(clock.now()).toBe(35);
  });

  it('finishes one task before the next begins', async () => {
    const clock = fixedClock(0);
    const seen: string[] = [];
    clock.after(1, async () => {
      await Promise.resolve();
      seen.push('first');
    });
    clock.after(1, () => void seen.push('second'));
    await clock.advance(1);
    expect(seen).toEqual(['first', 'second']);
  });

  it('forgets a timer that is cancelled, twice too', async () => {
    const clock = fixedClock(0);
    let ran = false;
    const cancel = clock.after(1, () => {
      ran = true;
    });
    cancel();
    cancel();
    await clock.advance(10);
    expect(ran).toBe(false);
  });

  it('throws what a task throws, at its time', async () => {
    const clock = fixedClock(0);
    clock.after(3, () => {
      throw new Error('broken');
    });
    await expect(clock.advance(10)).rejects.toThrow('broken');
    expect(clock.now()).toBe(3);
  });
});
