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
    process.bytes = 200 * mib;
    vi.advanceTimersByTime(60_000);
    expect(process.collections).toBe(1);
    process.bytes = 116 * mib;
    vi.advanceTimersByTime(60_000);
    expect(process.collections).toBe(2);
  });

  it('tries twice, and then takes what is left for what lives', () => {
    const { process } = open();
    process.bytes = process.kept = 200 * mib;
    vi.advanceTimersByTime(600_000);
    expect(process.collections).toBe(2);
    process.bytes = process.kept = 216 * mib;
    vi.advanceTimersByTime(600_000);
    expect(process.collections).toBe(4);
  });

  it('waits until there was nothing to do for ten seconds', () => {
    const { process } = open();
    process.bytes += 100 * mib;
    process.share = 0.2;
    vi.advanceTimersByTime(60_000);
    process.share = 0.19;
    vi.advanceTimersByTime(9_000);
    expect(process.collections).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(process.collections).toBe(1);
  });

  it('begins anew where something came between', () => {
    const { process } = open();
    process.bytes = process.kept = 200 * mib;
    vi.advanceTimersByTime(10_000);
    expect(process.collections).toBe(1);
    process.share = 1;
    vi.advanceTimersByTime(20_000);
    expect(process.collections).toBe(1);
    process.share = 0;
    vi.advanceTimersByTime(60_000);
    expect(process.collections).toBe(3);
  });

  it('is let go of', () => {
    const { collector, process } = open();
    process.bytes += 100 * mib;
    collector.stop();
    vi.advanceTimersByTime(60_000);
    expect(process.collections).toBe(0);
  });
});
