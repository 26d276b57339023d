import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { UnderWay } from '../src/under-way.ts';

describe('UnderWay', () => {
  it('lets in what a device may have, and no byte more', () => {
    verifies('scale.redis.bounded');
    const underWay = new UnderWay({ perDevice: 10, total: 100 });
    const leave = underWay.enter('door', 9);
    expect(underWay.enter('door', 1)).toBeDefined();
    expect(underWay.enter('door', 1)).toBeUndefined();
    expect(underWay.enter('yard', 1)).toBeDefined();
    leave?.();
    expect(underWay.enter('door', 9)).toBeDefined();
  });

  it('lets in what all may have together, and no byte more', () => {
    const underWay = new UnderWay({ perDevice: 10, total: 12 });
    underWay.enter('door', 10);
    expect(underWay.enter('yard', 3)).toBeUndefined();
    const leave = underWay.enter('yard', 2);
    expect(underWay.enter('attic', 1)).toBeUndefined();
    leave?.();
    expect(underWay.bytes).toBe(10);
    expect(underWay.enter('attic', 2)).toBeDefined();
  });

  it('lets in one that is larger than its limit while nothing else is there', () => {
    const underWay = new UnderWay({ perDevice: 10, total: 12 });
    expect(underWay.enter('door', 20)).toBeDefined();
    expect(underWay.enter('yard', 1)).toBeUndefined();
  });
});
