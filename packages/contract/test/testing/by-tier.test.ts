import { afterEach, describe, expect, it, vi } from 'vitest';
import { byTier } from '../../src/testing/index.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('byTier', () => {
  it('is the small budget unless the slow tests run', () => {
    vi.stubEnv('TEST_TIER', undefined);
    expect(byTier({ quick: 30, slow: 1500 })).toBe(30);
    vi.stubEnv('TEST_TIER', 'slow');
    expect(byTier({ quick: 30, slow: 1500 })).toBe(1500);
    expect(byTier({ quick: 30, slow: 300, drill: 1500 })).toBe(300);
  });

  it('is the largest of them where there is time', () => {
    vi.stubEnv('TEST_TIER', 'drill');
    expect(byTier({ quick: 30, slow: 300, drill: 1500 })).toBe(1500);
    expect(byTier({ quick: 30, slow: 1500 })).toBe(1500);
  });
});
