import { describe, expect, it } from 'vitest';
import { Meter } from '../../../browser/connect/sending/meter.ts';
import { toRates } from '../../../browser/connect/sending/rates.ts';
import { endedByFrame, toRefusalKind } from '../../../browser/connect/sending/refusals.ts';
import { Tally } from '../../../browser/connect/sending/tally.ts';
import { Readings } from '../../../browser/connect/telemetry/readings.ts';

describe('Meter', () => {
  it('measures the last three seconds, and from the start less', () => {
    const meter = new Meter();
    meter.start(10_000);
    meter.add(10_100, 500);
    expect(meter.read(10_200)).toEqual({ framesPerSecond: 1, bytesPerSecond: 500, bytesPerFrame: 500 });
    for (let atMs = 10_200; atMs <= 16_000; atMs += 100) meter.add(atMs, 1_000);
    expect(meter.read(16_000)).toEqual({ framesPerSecond: 10, bytesPerSecond: 10_000, bytesPerFrame: 1_000 });
    expect(meter.read(60_000)).toEqual({ framesPerSecond: 0, bytesPerSecond: 0, bytesPerFrame: 0 });
  });
});

describe('Tally', () => {
  it('keeps the newest six reasons, newest first, with their counts', () => {
    const tally = new Tally();
    for (let i = 0; i < 9; i++) tally.refuse(`reason ${i}`);
    tally.refuse('reason 5', 2);
    expect(tally.refused).toBe(11);
    expect(tally.reasons.map(({ message }) => message).join()).toBe(
      'reason 5,reason 8,reason 7,reason 6,reason 4,reason 3',
    );
    expect(tally.reasons[0]?.times).toBe(3);
  });
});

describe('Readings', () => {
  it('are put together from their sources and sent once a second at most', () => {
    const readings = new Readings();
    expect(readings.takeDue(0)).toBeUndefined();
    readings.set('battery', { battery_percent: 80, charging: false });
    readings.set('orientation', { alpha: 1 });
    expect(readings.takeDue(0)).toEqual({ battery_percent: 80, charging: false, alpha: 1 });
    readings.set('orientation', { alpha: 2 });
    expect(readings.takeDue(999)).toBeUndefined();
    expect(readings.takeDue(1_000)).toMatchObject({ alpha: 2 });
    readings.remove('battery');
    expect(readings.takeDue(2_000)).toEqual({ alpha: 2 });
  });

  it('say what has not changed every ten seconds', () => {
    const readings = new Readings();
    readings.set('battery', { battery_percent: 80 });
    const times = Array.from({ length: 250 }, (_, i) => i * 100).filter((ms) => readings.takeDue(ms));
    expect(times).toEqual([0, 10_000, 20_000]);
  });
});

describe('toRates', () => {
  it('ends with what the hub takes', () => {
    expect(toRates(30)).toEqual([1, 2, 5, 10, 15, 20, 25, 30]);
    expect(toRates(0.5)).toEqual([0.5]);
    expect(toRates(12)).toEqual([1, 2, 5, 10, 12]);
    expect(toRates(1_000).at(-1)).toBe(60);
  });
});

describe('toRefusalKind', () => {
  it.each([
    ['a device takes 30 frames a second', 'too-fast'],
    ['a device sends 2 frames at a time', 'too-fast'],
    ['a frame has 5000000 bytes at most', 'too-large'],
    ['a frame has 64000000 pixels at most', 'too-large'],
    [endedByFrame, 'too-large'],
    ['a sensor takes no frames', 'other'],
  ])('of "%s" is %s', (message, kind) => {
    expect(toRefusalKind(message)).toBe(kind);
  });
});
