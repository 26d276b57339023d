import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { maxBuckets, TokenBucket, TokenBuckets } from '../../src/limits/token-bucket.ts';

const size = { perSecond: 50, burst: 100 };

describe('TokenBucket', () => {
  it('lets the burst through at once, and not one more', () => {
    verifies('http.rate.bucket');
    const bucket = new TokenBucket(size, 0);
    const taken = Array.from({ length: 101 }, () => bucket.take(1, 0));
    expect(taken.filter(Boolean)).toHaveLength(100);
    expect(taken.at(-1)).toBe(false);
  });

  it('fills by the second, a fraction at a time, and never beyond the burst', () => {
    const bucket = new TokenBucket(size, 0);
    bucket.take(100, 0);
    expect([bucket.left(19), bucket.left(20), bucket.left(39), bucket.left(40)]).toEqual([0, 1, 1, 2]);
    expect([bucket.left(1000), bucket.left(2000), bucket.left(60_000)]).toEqual([50, 100, 100]);
  });

  it('takes all of a cost or nothing, and of a cost beyond the burst a whole bucket', () => {
    const bucket = new TokenBucket(size, 0);
    expect(bucket.take(99, 0)).toBe(true);
    expect(bucket.take(2, 0)).toBe(false);
    expect(bucket.left(0)).toBe(1);
    expect(bucket.take(1, 0)).toBe(true);
    expect(bucket.take(1000, 1999)).toBe(false);
    expect(bucket.take(1000, 2000)).toBe(true);
    expect(bucket.left(2000)).toBe(0);
  });

  it('says how long to wait, in whole seconds', () => {
    const bucket = new TokenBucket({ perSecond: 0.5, burst: 2 }, 0);
    expect(bucket.secondsUntil(2, 0)).toBe(0);
    bucket.take(2, 0);
    expect([bucket.secondsUntil(1, 0), bucket.secondsUntil(2, 0)]).toEqual([2, 4]);
    expect([bucket.secondsUntil(1, 1000), bucket.secondsUntil(1, 1999)]).toEqual([1, 1]);
    expect(bucket.secondsUntil(1, 2000)).toBe(0);
    expect(bucket.secondsUntil(9, 2000)).toBe(2);
  });

  it('gains nothing from a clock that goes back', () => {
    const bucket = new TokenBucket(size, 1000);
    bucket.take(100, 1000);
    expect(bucket.left(0)).toBe(0);
    expect(bucket.left(1000)).toBe(0);
    expect(bucket.left(1020)).toBe(1);
  });

  it('loses nothing to rounding', () => {
    const bucket = new TokenBucket({ perSecond: 0.1, burst: 1 }, 0);
    bucket.take(1, 0);
    for (let ms = 0; ms <= 10_000; ms += 7) bucket.left(ms);
    expect(bucket.take(1, 10_000)).toBe(true);
  });
});

describe('TokenBuckets', () => {
  it('keeps one bucket for each key', () => {
    const buckets = new TokenBuckets({ perSecond: 1, burst: 1 });
    expect(buckets.of('a', 0).take(1, 0)).toBe(true);
    expect(buckets.of('a', 0).take(1, 0)).toBe(false);
    expect(buckets.of('b', 0).take(1, 0)).toBe(true);
  });

  it('remembers 10,000, and beyond forgets the one unused for longest', () => {
    verifies('http.rate.bounded');
    expect(maxBuckets).toBe(10_000);
    const buckets = new TokenBuckets({ perSecond: 1, burst: 1 });
    for (let i = 0; i < maxBuckets; i++) buckets.of(`k${i}`, 0).take(1, 0);
    expect(buckets.count).toBe(10_000);
    expect(buckets.of('k0', 0).take(1, 0)).toBe(false);
    buckets.of('one more', 0);
    expect(buckets.count).toBe(10_000);
    expect(buckets.known('k0')).toBeDefined();
    expect(buckets.known('k1')).toBeUndefined();
    expect(buckets.of('k1', 0).take(1, 0)).toBe(true);
  });

  it('takes no room for who only asks', () => {
    const buckets = new TokenBuckets(size);
    expect(buckets.known('a')).toBeUndefined();
    expect(buckets.count).toBe(0);
  });
});
