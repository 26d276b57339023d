import { describe, expect, it } from 'vitest';
import { toPaceMs, toPauseMs } from '../browser/pages/devices/pace.ts';
import { PictureLine } from '../browser/pages/devices/picture-line.ts';
import { addReading, keptReadings, noReadings, seriesOf } from '../browser/pages/devices/reading-log.ts';
import { toNumberText, toReadingMembers } from '../browser/pages/devices/reading-members.ts';

describe('the line for pictures', () => {
  it('lets so many in at once, and the others in their order', async () => {
    const line = new PictureLine(2);
    const entered: number[] = [];
    const leave = new Map<number, () => void>();
    const enter = async (i: number): Promise<void> => {
      leave.set(i, await line.enter());
      entered.push(i);
    };
    const all = [0, 1, 2, 3].map(enter);
    await Promise.all(all.slice(0, 2));
    expect(entered).toEqual([0, 1]);
    leave.get(1)?.();
    await all[2];
    expect(entered).toEqual([0, 1, 2]);
    leave.get(0)?.();
    leave.get(2)?.();
    await all[3];
    leave.get(3)?.();
    // All places are free again.
    await Promise.all([line.enter(), line.enter()]);
  });
});

describe('the pace of pictures', () => {
  it('is that of the camera at most, and slower for one that is asked for each', () => {
    expect(toPaceMs({ pulled: false, maxFps: 30, shown: 1 })).toBe(250);
    expect(toPaceMs({ pulled: false, maxFps: 0.5, shown: 1 })).toBe(2_000);
    expect(toPaceMs({ pulled: true, maxFps: 30, shown: 1 })).toBe(1_000);
    expect(toPaceMs({ pulled: true, maxFps: null, shown: 2 })).toBe(2_000);
  });

  it('is eight pictures a second for all that are shown', () => {
    expect(toPaceMs({ pulled: false, maxFps: 30, shown: 8 })).toBe(1_000);
    expect(toPaceMs({ pulled: false, maxFps: 30, shown: 80 })).toBe(10_000);
  });

  it('slows down for a camera that fails, as the service says and to 15 seconds at most', () => {
    expect([1, 2, 3, 4, 5, 9].map((failures) => toPauseMs(failures, 0))).toEqual([
      1_000, 2_000, 4_000, 8_000, 15_000, 15_000,
    ]);
    expect(toPauseMs(1, 30_000)).toBe(30_000);
  });
});

describe('readings', () => {
  it('are taken apart by the way into them', () => {
    expect(
      toReadingMembers({ celsius: 21.50000001, battery: { level: 0.5, low: false }, tags: ['a'] }),
    ).toEqual([
      { name: 'celsius', text: '21.5', number: 21.50000001 },
      { name: 'battery.level', text: '0.5', number: 0.5 },
      { name: 'battery.low', text: 'false' },
      { name: 'tags', text: '["a"]' },
    ]);
    expect(toReadingMembers('warm')).toEqual([{ name: 'value', text: 'warm' }]);
    expect(toNumberText(1 / 3)).toBe('0.333333');
  });

  it('are cut where they are too many, too deep or too long', () => {
    const wide = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`m${i}`, i]));
    expect(toReadingMembers(wide)).toHaveLength(40);
    const [deep] = toReadingMembers({ a: { b: { c: { d: { e: 1 } } } } });
    expect(deep).toEqual({ name: 'a.b.c.d', text: '{"e":1}' });
    const [long] = toReadingMembers({ said: 'x'.repeat(500) });
    expect(long?.text).toHaveLength(160);
    expect(toReadingMembers({ list: Array.from({ length: 41 }) })[0]?.text).toBe('41 items');
  });

  it('are kept as long as they can be drawn, each once', () => {
    let log = addReading(noReadings, 1_000, { kg: 1 });
    // Asked for again, it is as old by another clock.
    expect(addReading(log, 1_200, { kg: 1 })).toBe(log);
    log = addReading(log, 3_000, { g: 2 });
    expect(seriesOf(log, 'kg')).toEqual([1, null]);
    for (let i = 0; i < keptReadings + 5; i++) log = addReading(log, 10_000 + 2_000 * i, { kg: i });
    expect(log.times).toHaveLength(keptReadings);
    expect(log.readings).toHaveLength(keptReadings);
  });
});
