import { describe, expect, it } from 'vitest';
import { InFlight } from '../../src/stream/in-flight.ts';

/** Asks for a receipt where that may be asked for, and gives its number. */
function asked(flight: InFlight, receipt: number, nowMs: number): number | undefined {
  if (!flight.allows(receipt)) return undefined;
  flight.ask(receipt, nowMs);
  return receipt;
}

describe('InFlight', () => {
  it('counts what was sent until it is confirmed', () => {
    const flight = new InFlight();
    expect([flight.bytes, flight.sentAtMs, flight.askedAtMs, flight.uncovered]).toEqual([
      0,
      undefined,
      undefined,
      false,
    ]);
    flight.sent(100, 10);
    flight.sent(50, 20);
    expect([flight.bytes, flight.sentAtMs, flight.askedAtMs, flight.uncovered]).toEqual([
      150,
      10,
      undefined,
      true,
    ]);
    flight.ask(5, 30);
    flight.sent(7, 40);
    expect([flight.bytes, flight.askedAtMs, flight.uncovered]).toEqual([157, 30, true]);
    flight.confirm(5, 50);
    expect([flight.bytes, flight.sentAtMs, flight.askedAtMs]).toEqual([7, 40, undefined]);
  });

  it('takes a receipt for everything that was sent before it', () => {
    const flight = new InFlight();
    for (const ms of [1, 2, 3]) {
      flight.sent(100, ms);
      flight.ask(10 * ms, ms);
    }
    flight.confirm(20, 10);
    expect(flight.bytes).toBe(100);
    expect(flight.sentAtMs).toBe(3);
  });

  it('allows rising numbers alone', () => {
    const flight = new InFlight();
    flight.sent(1, 0);
    flight.ask(5, 0);
    flight.sent(1, 0);
    expect([4, 5, 6].map((receipt) => flight.allows(receipt))).toEqual([false, false, true]);
  });

  it('is asked for the round trip alone when nothing was sent', () => {
    const flight = new InFlight();
    flight.ask(1, 10);
    flight.sent(50_000, 10);
    flight.ask(2, 10);
    expect(flight.confirm(1, 14)).toEqual({ confirmed: 0, bytes: 0, ms: 4, roundTripMs: 4, alone: true });
    expect(flight.confirm(2, 60)).toMatchObject({ confirmed: 50_000, roundTripMs: 50, alone: false });
  });

  it('ignores receipts that were never asked for, and those that came before', () => {
    const flight = new InFlight();
    flight.sent(100, 0);
    const receipt = 7;
    flight.ask(receipt, 0);
    for (const wrong of [receipt + 1, receipt - 1, -1, Number.NaN, 6.5])
      expect(flight.confirm(wrong, 1)).toBeUndefined();
    expect(flight.bytes).toBe(100);
    expect(flight.confirm(receipt, 1)).toBeDefined();
    expect(flight.confirm(receipt, 2)).toBeUndefined();
    expect(flight.bytes).toBe(0);
  });

  it('tells what arrived while a message was on its way, and in which time', () => {
    const flight = new InFlight();
    flight.sent(100, 0);
    flight.ask(1, 0);
    flight.sent(200, 10);
    flight.ask(2, 15);
    expect(flight.confirm(1, 40)).toEqual({
      confirmed: 100,
      bytes: 100,
      ms: 40,
      roundTripMs: 40,
      alone: true,
    });
    expect(flight.confirm(2, 60)).toEqual({
      confirmed: 200,
      bytes: 300,
      ms: 50,
      roundTripMs: 45,
      alone: false,
    });
    flight.sent(50, 70);
    flight.ask(3, 70);
    expect(flight.confirm(3, 75)).toEqual({ confirmed: 50, bytes: 50, ms: 5, roundTripMs: 5, alone: true });
  });

  it('does not take two messages for one that was alone', () => {
    const flight = new InFlight();
    flight.sent(100, 0);
    flight.sent(100, 0);
    flight.ask(1, 0);
    expect(flight.confirm(1, 1)?.alone).toBe(false);
  });

  it.each([
    { bytes: 1_400, alone: true },
    { bytes: 1_401, alone: false },
  ])('takes $bytes bytes for a message that needs no time of its own: $alone', ({ bytes, alone }) => {
    const flight = new InFlight();
    flight.sent(bytes, 0);
    flight.ask(1, 0);
    expect(flight.confirm(1, 1)?.alone).toBe(alone);
  });

  it.each([
    { name: 'asks while 62 receipts are outstanding', outstanding: 62, asks: true },
    { name: 'asks no more while 63 are', outstanding: 63, asks: false },
  ])('$name', ({ outstanding, asks }) => {
    const flight = new InFlight();
    for (let i = 1; i <= outstanding; i++) {
      flight.sent(1, i);
      flight.ask(i, i);
    }
    flight.sent(1, 100);
    expect(flight.allows(100)).toBe(asks);
    flight.confirm(1, 200);
    expect(asked(flight, 100, 200)).toBe(100);
    expect(flight.bytes).toBe(outstanding);
    flight.confirm(100, 300);
    expect(flight.bytes).toBe(0);
  });

  it('counts on over any number of receipts', () => {
    const flight = new InFlight();
    for (let i = 1; i < 1_000; i++) {
      flight.sent(i, i);
      expect(flight.confirm(asked(flight, i, i) ?? 0, i)?.bytes).toBe(i);
      expect(flight.bytes).toBe(0);
    }
  });
});
