import { anonymous } from '@waymark/contract/principal';
import { describe, expect, it } from 'vitest';
import { RateLimit } from '../../src/limits/rate-limit.ts';

const alice = { id: 'alice', rootId: 'alice', authenticated: true, scopes: [] };
const home = { addressKey: '192.0.2.1' };
const work = { addressKey: '192.0.2.2' };

describe('RateLimit', () => {
  it('allows 50 a second and 100 at once unless told otherwise', () => {
    let nowMs = 0;
    const { take, headers } = usage(new RateLimit({}, () => nowMs).of(alice, home));
    for (let i = 0; i < 99; i++) expect(take()).toBeUndefined();
    expect(headers()).toEqual({ ratelimit: '"default";r=1;t=2', 'ratelimit-policy': '"default";q=100;w=2' });
    expect(take()).toBeUndefined();
    expect(take()).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect(headers()).toMatchObject({ ratelimit: '"default";r=0;t=2' });
    nowMs = 1000;
    expect(headers()).toMatchObject({ ratelimit: '"default";r=50;t=1' });
    nowMs = 2000;
    expect(headers()).toMatchObject({ ratelimit: '"default";r=100;t=0' });
  });

  it('counts a principal as one wherever it comes from, and anonymous callers by address', () => {
    const limit = new RateLimit({ perSecond: 1, burst: 1 }, () => 0);
    expect(limit.of(alice, home).take(1)).toBeUndefined();
    expect(limit.of({ ...alice }, work).take(1)?.status).toBe(429);
    expect(limit.of(anonymous(), home).take(1)).toBeUndefined();
    expect(limit.of(anonymous(), home).take(1)?.status).toBe(429);
    expect(limit.of(anonymous(), work).take(1)).toBeUndefined();
  });

  it('never takes the name of a principal for an address', () => {
    const limit = new RateLimit({ perSecond: 1, burst: 1 }, () => 0);
    expect(limit.of(anonymous(), home).take(1)).toBeUndefined();
    for (const id of [home.addressKey, `ip ${home.addressKey}`])
      expect(limit.of({ ...alice, id }, home).take(1)).toBeUndefined();
  });

  it('throws the refusal where a charge is more than what is left, and takes nothing then', () => {
    const allowance = new RateLimit({ perSecond: 2, burst: 10 }, () => 0).of(alice, home);
    allowance.charge(7);
    expect(() => allowance.charge(4)).toThrow(
      expect.objectContaining({ status: 429, headers: { 'retry-after': '1' } }),
    );
    expect(() => allowance.charge(3)).not.toThrow();
    expect(() => allowance.charge(10)).toThrow(expect.objectContaining({ headers: { 'retry-after': '5' } }));
  });
});

function usage(allowance: ReturnType<RateLimit['of']>) {
  return {
    take: () => allowance.take(1),
    headers: () => {
      const flat = allowance.toHeaders();
      return Object.fromEntries(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]]] : [])));
    },
  };
}
