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

  it('waits until there was nothing to do for ten seconds', () => {
    const { process } = open();
    process.bytes += 100 * mib;
    process.share = 0.2;
    vi.advanceTimersByTime(60_000);
    process.share = 0.19;
    vi.advanceTimersByTime(9_000);
    expect(process.collections).toBe(0);
    vi.advanceTimersByTime(1_250);
    expect(process.collections).toBe(1);
  });

  it('does not collect where a burst has begun since it was looked at', () => {
    const { process } = open();
    process.bytes += 100 * mib;
    vi.advanceTimersByTime(10_000);
    process.share = 0.2;
    vi.advanceTimersByTime(250);
    process.share = 0;
    vi.advanceTimersByTime(9_750);
    expect(process.collections).toBe(0);
    vi.advanceTimersByTime(250);
    expect(process.collections).toBe(1);
  });

  it('is let go of', () => {
    const { collector, process } = open();
    process.bytes += 100 * mib;
    collector.stop();
    vi.advanceTimersByTime(60_000);
    expect(process.collections).toBe(0);
  });

  it('has the collector of V8', async () => {
    const gone = new WeakRef({ text: 'x'.repeat(1000) });
    // Whatever a reference was made to lives until the end of the turn.
    vi.useRealTimers();
    await new Promise((resolve) => setImmediate(resolve));
    vi.useFakeTimers();
    let bytes = 100 * mib;
    const collector = new IdleCollector({ rss: () => (bytes += 40 * mib), utilization: () => 0 });
    collector.start();
    vi.advanceTimersByTime(10_250);
    collector.stop();
    expect(gone.deref()).toBeUndefined();
  });
});
