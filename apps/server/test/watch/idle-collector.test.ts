import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IdleCollector } from '../../src/watch/idle-collector.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const mib = 1024 * 1024;

/** A process that holds what it is told, and has as much to do. */
function open() {
  const process = { bytes: 100 * mib, share: 0, kept: 100 * mib, collections: 0 };
  const collector = new IdleCollector({
    rss: () => process.bytes,
    utilization: () => process.share,
    collect: () => {
      process.collections++;
      process.bytes = process.kept;
    },
  });
  collector.start();
  return { collector, process };
}

describe('an idle process', () => {
  it.each([
    [15, 0],
    [16, 1],
    [17, 1],
  ])('gives back what a burst has left where it is worth it: %i MiB', (more, collections) => {
    const { process } = open();
    process.bytes += more * mib;
    vi.advanceTimersByTime(60_000);
    expect(process.collections).toBe(collections);
  });

  it('collects once, and again after the next burst', () => {
    const { process } = open();
    process.bytes = process.kept = 200 * mib;
    vi.advanceTimersByTime(60_000);
    expect(process.collections).toBe(1);
    process.bytes += 40 * mib;
    vi.advanceTimersByTime(60_000);
    expect(process.collections).toBe(2);
  });

  it('waits until there was nothing to do for twenty seconds', () => {
    const { process } = open();
    process.bytes += 100 * mib;
    process.share = 0.2;
    vi.advanceTimersByTime(60_000);
    process.share = 0.19;
    vi.advanceTimersByTime(19_000);
    expect(process.collections).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(process.collections).toBe(1);
  });

  it('asks once for what lives', () => {
    const { process } = open();
    process.bytes = process.kept = 200 * mib;
    vi.advanceTimersByTime(600_000);
    expect(process.collections).toBe(1);
  });

  it('waits for what V8 gives back by and by, and asks again where something came between', () => {
    const { process } = open();
    process.bytes = process.kept = 200 * mib;
    vi.advanceTimersByTime(20_000);
    expect(process.collections).toBe(1);
    process.share = 1;
    vi.advanceTimersByTime(20_000);
    process.share = 0;
    vi.advanceTimersByTime(20_000);
    expect(process.collections).toBe(2);
    process.bytes = process.kept = 110 * mib;
    vi.advanceTimersByTime(20_000);
    process.bytes = 126 * mib;
    vi.advanceTimersByTime(20_000);
    expect(process.collections).toBe(3);
  });

  it('is let go of', () => {
    const { collector, process } = open();
    process.bytes += 100 * mib;
    collector.stop();
    vi.advanceTimersByTime(60_000);
    expect(process.collections).toBe(0);
  });

  it('has the collector of V8', async () => {
    const gone = vi.fn();
    const registry = new FinalizationRegistry(gone);
    registry.register({ text: 'x'.repeat(1000) }, undefined);
    let bytes = 100 * mib;
    const collector = new IdleCollector({ rss: () => (bytes += 40 * mib), utilization: () => 0 });
    collector.start();
    vi.advanceTimersByTime(20_000);
    collector.stop();
    vi.useRealTimers();
    // It marks between other work.
    await expect.poll(() => gone.mock.calls.length, { timeout: 10_000 }).toBe(1);
  });

  it('lives on where there is no room for what it asks with', () => {
    const whole = globalThis.ArrayBuffer;
    globalThis.ArrayBuffer = class {
      constructor() {
        throw new RangeError('Array buffer allocation failed');
      }
    } as unknown as typeof ArrayBuffer;
    try {
      let bytes = 100 * mib;
      const collector = new IdleCollector({ rss: () => (bytes += 40 * mib), utilization: () => 0 });
      collector.start();
      expect(() => vi.advanceTimersByTime(60_000)).not.toThrow();
      collector.stop();
    } finally {
      globalThis.ArrayBuffer = whole;
    }
  });
});
