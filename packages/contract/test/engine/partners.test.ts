import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { Partners } from '../../src/engine/partners.ts';

describe('Partners', () => {
  it('tells those that fail in one trouble of their kind, with what they do and since when', () => {
    verifies('health.outside');
    let nowMs = 0;
    const partners = new Partners('upstream', { monotonic: () => nowMs });
    const [billing, search, stock] = ['billing', 'search', 'stock'].map((name) => partners.of(name));
    expect(partners.troubles()).toEqual([]);
    billing?.failed('refuses connections');
    stock?.answered();
    nowMs = 12_900;
    search?.failed('answers 503');
    expect(partners.troubles()).toEqual([
      {
        code: 'upstream-failing',
        message:
          'Upstreams of proxies fail: "billing" (refuses connections, for 12 s), "search" (answers 503, for 0 s).',
        outside: true,
      },
    ]);
  });

  it.each([
    { count: 7, others: '.' },
    { count: 8, others: '.' },
    { count: 9, others: ' and 1 more.' },
  ])('names eight at most, of $count', ({ count, others }) => {
    verifies('health.outside.bounded');
    const partners = new Partners('camera', { monotonic: () => 0 });
    for (let i = 0; i < count; i++) partners.of(`door-${i}`).failed('does not answer');
    const message = partners.troubles()[0]?.message ?? '';
    expect(message.match(/"door-\d"/g)).toHaveLength(Math.min(count, 8));
    expect(message.slice(message.lastIndexOf(')') + 1)).toBe(others);
  });

  it.each([63, 64, 65])('shows 64 characters of a name: %i', (length) => {
    verifies('health.outside.bounded');
    const partners = new Partners('issuer', { monotonic: () => 0 });
    partners.of('a'.repeat(length)).failed('does not answer');
    expect(partners.troubles()[0]?.message).toContain(`"${'a'.repeat(Math.min(length, 64))}"`);
  });

  it('knows each by its name', () => {
    const partners = new Partners('model');
    expect(partners.of('local')).toBe(partners.of('local'));
    expect(partners.of('local')).not.toBe(partners.of('other'));
  });
});
