import { describe, expect, it } from 'vitest';
import { InFlight } from '../../src/stream/in-flight.ts';

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
    const receipt = flight.ask(30) ?? Number.NaN;
    flight.sent(7, 40);
    expect([flight.bytes, flight.askedAtMs, flight.uncovered]).toEqual([157, 30, true]);
    flight.confirm(receipt, 50);
    expect([flight.bytes, flight.sentAtMs, flight.askedAtMs]).toEqual([7, 40, undefined]);
  });

  it('takes a receipt for everything that was sent before it', () => {
    const flight = new InFlight();
    const receipts = [1, 2, 3].map((ms) => {
      flight.sent(100, ms);
      return flight.ask(ms) ?? Number.NaN;
    });
    flight.confirm(receipts[1] ?? Number.NaN, 10);
    expect(flight.bytes).toBe(100);
    expect(flight.sentAtMs).toBe(3);
  });

  it('asks for nothing when nothing was sent since', () => {
    const flight = new InFlight();
    expect(flight.ask(0)).toBeUndefined();
    flight.sent(1, 0);
    expect(flight.ask(0)).toBeDefined();
    expect(flight.ask(0)).toBeUndefined();
  });

  it('ignores receipts that were never asked for, and those that came before', () => {
    const flight = new InFlight();
    flight.sent(100, 0);
    const receipt = flight.ask(0) ?? Number.NaN;
    for (const wrong of [receipt + 1, -1, Number.NaN, 0.5 - 1])
      expect(flight.confirm(wrong, 1)).toBeUndefined();
    expect(flight.bytes).toBe(100);
    expect(flight.confirm(receipt, 1)).toBeDefined();
    expect(flight.confirm(receipt, 2)).toBeUndefined();
    expect(flight.bytes).toBe(0);
  });

  it('tells what arrived while a message was on its way, and in which time', () => {
    const flight = new InFlight();
    flight.sent(100, 0);
    const first = flight.ask(0) ?? Number.NaN;
    flight.sent(200, 10);
    const second = flight.ask(15) ?? Number.NaN;
    expect(flight.confirm(first, 40)).toEqual({ bytes: 100, ms: 40, roundTripMs: 40, alone: true });
    expect(flight.confirm(second, 60)).toEqual({ bytes: 300, ms: 50, roundTripMs: 45, alone: false });
    flight.sent(50, 70);
    const third = flight.ask(70) ?? Number.NaN;
    expect(flight.confirm(third, 75)).toEqual({ bytes: 50, ms: 5, roundTripMs: 5, alone: true });
  });

  it('does not take two messages for one that was alone', () => {
    const flight = new InFlight();
    flight.sent(100, 0);
    flight.sent(100, 0);
    expect(flight.confirm(flight.ask(0) ?? Number.NaN, 1)?.alone).toBe(false);
  });

  it.each([
    { name: 'asks while 62 receipts are outstanding', outstanding: 62, asks: true },
    { name: 'asks no more while 63 are', outstanding: 63, asks: false },
  ])('$name', ({ outstanding, asks }) => {
    const flight = new InFlight();
    for (let i = 0; i < outstanding; i++) {
      flight.sent(1, i);
      flight.ask(i);
    }
    flight.sent(1, 100);
    const receipt = flight.ask(100);
    expect(receipt !== undefined).toBe(asks);
    flight.confirm(0, 200);
    const later = receipt ?? flight.ask(200) ?? Number.NaN;
    expect(flight.bytes).toBe(outstanding);
    flight.confirm(later, 300);
    expect(flight.bytes).toBe(0);
  });

  it('counts on over any number of receipts', () => {
    const flight = new InFlight();
    for (let i = 0; i < 1_000; i++) {
      flight.sent(i, i);
      expect(flight.confirm(flight.ask(i) ?? Number.NaN, i)?.bytes).toBe(i === 0 ? undefined : i);
      expect(flight.bytes).toBe(0);
    }
  });
});
