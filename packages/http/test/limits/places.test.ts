import { media, Type, toRoute } from '@waymark/contract';
import type { Hold } from '@waymark/contract/engine';
import { describe, expect, it } from 'vitest';
import { Places } from '../../src/limits/places.ts';

const size = { perCaller: 2, total: 3 };

function guest(callerKey: string, accept?: string) {
  return { callerKey, accept, place: undefined as Hold | undefined };
}

const routeWith = (options: object) => toRoute('GET', '/a', { kind: 'handler' }, options);

describe('Places', () => {
  it.each([
    ['json alone', { output: { 200: Type.String() } }, 'text/event-stream', 0],
    ['nothing', {}, 'text/event-stream', 0],
    ['progress', { progress: true }, 'text/event-stream', 1],
    ['progress', { progress: true }, 'application/json', 0],
    ['progress', { progress: true }, undefined, 0],
    ['events alone', { output: { 200: media('text/event-stream') } }, undefined, 1],
    ['pictures alone', { output: { 200: media('multipart/x-mixed-replace; boundary=b') } }, '*/*', 1],
    ['one picture', { output: { 200: media('image/jpeg') } }, 'text/event-stream', 0],
    [
      'json or events',
      { facts: { answers: { 200: [Type.String(), media('text/event-stream')], 202: [] } } },
      'application/json, TEXT/event-stream',
      1,
    ],
    [
      'json or events',
      { facts: { answers: { 200: [Type.String(), media('text/event-stream')] } } },
      '*/*',
      0,
    ],
  ])('a route that says %j, asked with %s', (_, options, accept, taken) => {
    const places = new Places(size);
    const one = guest('ada', accept);
    // The second time it is known of the route.
    expect([places.admit(one, routeWith(options)), places.admit(one, routeWith(options))]).toEqual([
      undefined,
      undefined,
    ]);
    expect(places.taken).toBe(taken);
  });

  it('gives a guest one place, and others theirs: under, at, over', () => {
    const places = new Places(size);
    const guests = ['ada', 'ada', 'ada', 'bob', 'bob'].map((key) => guest(key));
    const refusals = guests.map((one) => [places.seat(one), places.seat(one)].map((no) => no?.status));
    expect(refusals).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [429, 429],
      [undefined, undefined],
      [503, 503],
    ]);
    expect(places.taken).toBe(3);
    for (const { place } of guests) place?.release();
    expect(places.taken).toBe(0);
    expect(places.seat(guest('eve'))).toBeUndefined();
  });
});
