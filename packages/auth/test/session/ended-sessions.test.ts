import type { EndedSession } from '@waymark/contract/principal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EndedSessions } from '../../src/session/ended-sessions.ts';

const lastsMs = 1_000;

function session(id: string, holder: string, issuedAtMs: number): EndedSession {
  return { id, holder, issuedAtMs, expiresAtMs: issuedAtMs + lastsMs };
}

describe('EndedSessions', () => {
  it('forgets what has expired before it gives up anything', () => {
    const ended = new EndedSessions(2, lastsMs);
    ended.add(session('a', 'ada', 0), 10);
    ended.add(session('b', 'ada', 500), 510);
    ended.add(session('c', 'bob', 1_000), 1_000);
    expect(ended.held).toBe(2);
    expect(ended.has(session('other', 'ada', 400))).toBe(false);
    expect(ended.has(session('b', 'ada', 500))).toBe(true);
  });

  it('lets the holder with the most give up, and refuses what that one had until then', () => {
    const ended = new EndedSessions(3, lastsMs);
    for (const one of [session('a', 'ada', 1), session('b', 'ada', 2), session('x', 'bob', 1)])
      ended.add(one, 5);
    ended.add(session('y', 'bob', 6), 6);
    expect(ended.held).toBe(3);
    expect(ended.has(session('another', 'ada', 1))).toBe(true);
    expect(ended.has(session('another', 'ada', 2))).toBe(false);
    expect(ended.has(session('another', 'bob', 1))).toBe(false);
  });

  it('refuses everybody what is older than what had to go, when nobody has more than one', () => {
    const ended = new EndedSessions(2, lastsMs);
    for (const [n, holder] of ['ada', 'bob', 'eve'].entries()) ended.add(session(holder, holder, n + 1), 5);
    expect(ended.held).toBe(2);
    expect(ended.has(session('another', 'joe', 1))).toBe(true);
    expect(ended.has(session('another', 'joe', 2))).toBe(false);
  });

  it('takes up that all of a holder, or of everybody, are refused that were issued until then', () => {
    const ended = new EndedSessions(3, lastsMs);
    ended.add(session('', 'ada', 5), 10);
    ended.add(session('', 'ada', 3), 10);
    expect([5, 6].map((ms) => ended.has(session('a', 'ada', ms)))).toEqual([true, false]);
    expect(ended.has(session('b', 'bob', 5))).toBe(false);
    ended.add(session('', '', 4), 10);
    expect([4, 5].map((ms) => ended.has(session('b', 'bob', ms)))).toEqual([true, false]);
    expect(ended.held).toBe(0);
  });

  it('knows what has expired as long as there is room, for a clock that is set back', () => {
    const ended = new EndedSessions(2, lastsMs);
    ended.add(session('a', 'ada', 0), lastsMs);
    expect(ended.has(session('a', 'ada', 0))).toBe(true);
  });

  it('has room for one', () => {
    const ended = new EndedSessions(1, lastsMs);
    for (const one of [session('a', 'ada', 1), session('b', 'ada', 2), session('c', 'bob', 3)]) {
      ended.add(one, 5);
      expect([ended.has(one), ended.held]).toEqual([true, 1]);
    }
    expect(ended.has(session('b', 'ada', 2))).toBe(true);
  });

  it('never lets back in what was ended, and never holds more than it may, whatever comes', () => {
    const events = fc.array(
      fc.record({
        holder: fc.constantFrom('ada', 'bob', 'eve', 'joe'),
        afterMs: fc.nat(200),
        ageMs: fc.nat(900),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), events, (size, list) => {
        const ended = new EndedSessions(size, lastsMs);
        const gone: EndedSession[] = [];
        let nowMs = 10_000;
        for (const [n, { holder, afterMs, ageMs }] of list.entries()) {
          nowMs += afterMs;
          const one = session(`s${n}`, holder, nowMs - ageMs);
          ended.add(one, nowMs);
          gone.push(one);
          expect(ended.held).toBeLessThanOrEqual(size);
          for (const old of gone) if (old.expiresAtMs > nowMs) expect(ended.has(old)).toBe(true);
        }
      }),
    );
  });
});
