import { describe, expect, it } from 'vitest';
import { HTTPError } from '../../src/engine/http-error.ts';
import {
  jsonResponse,
  problemResponse,
  RouteResponse,
  toDetail,
  toErrorResponse,
} from '../../src/engine/message.ts';

describe('RouteResponse', () => {
  it('has status and body, and no headers unless given', () => {
    const response = new RouteResponse(204, { kind: 'empty' });
    expect(response).toEqual({ status: 204, body: { kind: 'empty' }, headers: {} });
    expect(new RouteResponse(302, { kind: 'empty' }, { location: '/a' }).headers).toEqual({ location: '/a' });
  });
});

describe('jsonResponse', () => {
  it('writes the value once, with status 200 unless told', () => {
    expect(jsonResponse({ a: [1, 'x'] })).toEqual(
      new RouteResponse(200, { kind: 'json', text: '{"a":[1,"x"]}' }),
    );
    expect(jsonResponse(1, 201, { location: '/1' })).toEqual(
      new RouteResponse(201, { kind: 'json', text: '1' }, { location: '/1' }),
    );
  });

  it('writes null for what JSON has no word for', () => {
    expect(jsonResponse(undefined).body).toEqual({ kind: 'json', text: 'null' });
  });

  it('throws for values JSON cannot hold', () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(() => jsonResponse(cycle)).toThrow(TypeError);
    expect(() => jsonResponse(1n)).toThrow(TypeError);
  });
});

describe('problemResponse', () => {
  it('has the detail and the members of a problem document', () => {
    expect(problemResponse(404, 'no such ticket')).toEqual(
      new RouteResponse(404, { kind: 'problem', detail: 'no such ticket' }),
    );
    expect(problemResponse(403, 'no', { code: 'approval_required' }, { 'x-a': '1' })).toEqual(
      new RouteResponse(403, { kind: 'problem', detail: 'no', code: 'approval_required' }, { 'x-a': '1' }),
    );
  });
});

describe('toErrorResponse', () => {
  it('says of an HTTPError what it says itself', () => {
    const error = new HTTPError(403, 'too much', { code: 'declined', headers: { 'x-a': '1' } });
    expect(toErrorResponse(error)).toEqual(
      problemResponse(403, 'too much', { code: 'declined' }, { 'x-a': '1' }),
    );
  });

  it.each([new Error('10.0.0.1 refused'), 'text', undefined, { status: 404, message: 'no' }])(
    'says nothing of anything else: %s',
    (error) => {
      expect(toErrorResponse(error)).toEqual(problemResponse(500, 'internal error'));
    },
  );

  it.each([
    [399, 500],
    [400, 400],
    [599, 599],
    [600, 500],
    [404.5, 500],
    [Number.NaN, 500],
  ])('answers an HTTPError of status %d with %d', (status, answered) => {
    expect(toErrorResponse(new HTTPError(status, 'x')).status).toBe(answered);
  });
});

describe('toDetail', () => {
  it('joins what is wrong', () => {
    expect(
      toDetail([
        { path: '/id', message: 'must be integer' },
        { path: '/style', message: 'is required' },
      ]),
    ).toBe('/id must be integer; /style is required');
    expect(toDetail([])).toBe('');
  });

  it('says only what is wrong when it is the whole input', () => {
    expect(toDetail([{ path: '', message: 'must be an object' }])).toBe('must be an object');
  });
});
