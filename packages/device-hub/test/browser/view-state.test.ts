import { describe, expect, it } from 'vitest';
import { toDuration } from '../../browser/view/durations.ts';
import { Rate } from '../../browser/view/rate.ts';
import { Reading } from '../../browser/view/reading.ts';
import { toViewState, type ViewFacts } from '../../browser/view/view-state.ts';

const live: ViewFacts = {
  ...{ connected: true, paused: false, kind: 'camera', status: 'online' },
  ...{ ageMs: 50, readingAgeMs: undefined, gapMs: 33 },
};

describe('toViewState', () => {
  it.each<[string, Partial<ViewFacts>]>([
    ['live', {}],
    ['live', { ageMs: 2_000 }],
    ['stale', { ageMs: 2_001 }],
    // One picture in two seconds.
    ['live', { ageMs: 5_900, gapMs: 2_000 }],
    ['stale', { ageMs: 6_100, gapMs: 2_000 }],
    ['stale', { ageMs: 10_001, gapMs: 60_000 }],
    ['live', { status: 'offline' }],
    ['offline', { status: 'offline', ageMs: 20_000 }],
    ['stale', { status: 'stale', ageMs: 20_000 }],
    ['connecting', { ageMs: undefined }],
    ['connecting', { connected: false }],
    ['connecting', { kind: undefined }],
    ['paused', { paused: true, connected: false }],
    ['offline', { kind: 'sensor', ageMs: undefined, status: 'offline' }],
    ['live', { kind: 'sensor', ageMs: undefined, status: 'offline', readingAgeMs: 100 }],
    ['live', { kind: 'sensor', ageMs: undefined, readingAgeMs: 100_000 }],
  ])('is %s with %j', (state, facts) => {
    expect(toViewState({ ...live, ...facts }).state).toBe(state);
  });
});

describe('Rate', () => {
  it('is that of the last three seconds', () => {
    const rate = new Rate();
    expect(rate.perSecond(0)).toBeUndefined();
    for (let i = 0; i <= 600; i++) rate.add(i * 20);
    expect(rate.perSecond(12_000)).toBeCloseTo(50);
    expect(rate.gapMs).toBe(20);
    expect(rate.perSecond(16_000)).toBeUndefined();
  });
});

describe('Reading', () => {
  it('knows the one that comes again with a greeting, and how old it is', () => {
    const reading = new Reading();
    expect(reading.know({ telemetry: { a: 1 }, age_ms: 5_000 }, 1_000)).toBe(true);
    reading.expect();
    expect(reading.take({ a: 1 }, 2_000)).toBe(false);
    expect(reading.ageMs(2_000)).toBe(6_000);
    expect(reading.take({ a: 1 }, 3_000)).toBe(true);
    expect(reading.ageMs(3_500)).toBe(500);
    // What is newer than the answer stays.
    expect(reading.know({ telemetry: { a: 0 }, age_ms: 9_000 }, 4_000)).toBe(false);
    expect(reading.ageMs(4_000)).toBe(1_000);
  });

  it.each([undefined, null, {}, { telemetry: null, age_ms: null }])('knows nothing from %j', (answer) => {
    const reading = new Reading();
    expect([reading.know(answer), reading.ageMs(0)]).toEqual([false, undefined]);
  });
});

it('toDuration is short', () => {
  expect([-5, 0, 940, 9_949, 12_400, 90_000, 180_000, 7_200_000, 400_000_000].map(toDuration)).toEqual([
    ...['0.0 s', '0.0 s', '0.9 s', '9.9 s', '12 s', '90 s', '3 min', '2 h', '5 days'],
  ]);
});
