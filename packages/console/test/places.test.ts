import { describe, expect, it } from 'vitest';
import { parsePlace, toFragment } from '../browser/app/place.ts';
import { toAddress } from '../browser/client/service-address.ts';
import { windowOf } from '../browser/design/window-of.ts';

describe('places', () => {
  it.each([
    { page: '', rest: [], query: {} },
    { page: 'runs', rest: ['01J'], query: { step: '3' } },
    { page: 'playground', rest: ['agent', 'a/b ?#%'], query: { status: 'a&b=c' } },
  ])('$page is written and read alike', (place) => {
    expect(parsePlace(toFragment(place.page, place.rest, place.query))).toEqual(place);
  });

  it('is the first page where there is none, and takes what is badly encoded as it is', () => {
    expect(parsePlace('')).toEqual({ page: '', rest: [], query: {} });
    expect(parsePlace('#/runs/%zz').rest).toEqual(['%zz']);
    expect(toFragment('runs', [], { status: '', step: undefined })).toBe('#/runs');
  });
});

describe('toAddress', () => {
  it.each([
    ['http://h:1/_svc/console', '/_svc', 'http://h:1', 'http://h:1/_svc'],
    ['http://h:1/shop/_svc/console/', '/_svc', 'http://h:1/shop', 'http://h:1/shop/_svc'],
    ['https://h/a/b/console', '/a/b', 'https://h', 'https://h/a/b'],
  ])('finds the service of %s', (page, prefix, base, control) => {
    expect(toAddress(new URL(page), prefix)).toEqual({ base, control });
  });
});

describe('windowOf', () => {
  const seen = { height: 350, rowHeight: 35 };
  it('holds what is seen and a little beyond, whatever is scrolled', () => {
    expect(windowOf(10_000, { ...seen, scrolled: 0 })).toEqual({ first: 0, end: 18 });
    expect(windowOf(10_000, { ...seen, scrolled: 35_000 })).toEqual({ first: 992, end: 1_018 });
    expect(windowOf(10_000, { ...seen, scrolled: 1e9 })).toEqual({ first: 9_991, end: 10_000 });
    expect(windowOf(0, { ...seen, scrolled: 0 })).toEqual({ first: 0, end: 0 });
  });
});
