import { describe, expect, it } from 'vitest';
import { isCrossOrigin, isSafeMethod } from '../../src/security/cross-origin.ts';

const own = {
  here: 'http://localhost:8000',
  isPublic: (origin: string) => origin === 'https://app.example.com',
  isListed: (origin: string) => origin === 'https://friend.example',
};

describe('isCrossOrigin', () => {
  it.each([
    ['a caller that is no browser', undefined, undefined],
    ['our own page', 'http://localhost:8000', 'same-origin'],
    ['our own page, in a browser that does not say so', 'http://localhost:8000', undefined],
    ['our own page behind a proxy that changed the Host', 'https://seen.example', 'same-origin'],
    ['a person at the address bar', undefined, 'none'],
    ['the public URL', 'https://app.example.com', undefined],
    ['the public URL, calling another of our names', 'https://app.example.com', 'same-site'],
    ['a listed origin', 'https://friend.example', 'cross-site'],
  ])('lets %s pass', (_who, origin, site) => {
    expect(isCrossOrigin({ origin, site }, own)).toBe(false);
  });

  it.each([
    ['a foreign page', 'https://evil.example', 'cross-site'],
    ['a foreign page, in a browser that does not say so', 'https://evil.example', undefined],
    ['a page of a sibling host', 'http://other.localhost:8000', 'same-site'],
    ['a sandboxed frame', 'null', 'cross-site'],
    ['a sandboxed frame, in a browser that does not say so', 'null', undefined],
    ['a mark without an origin', undefined, 'cross-site'],
    ['a sibling mark without an origin', undefined, 'same-site'],
    ['a mark we do not know', undefined, 'next-door'],
    ['another port of this host', 'http://localhost:8001', undefined],
    ['another scheme of this host', 'https://localhost:8000', undefined],
    ['a foreign origin from nowhere', 'https://evil.example', 'none'],
    ['a mark that contradicts the origin', 'http://localhost:8000', 'cross-site'],
  ])('stops %s', (_who, origin, site) => {
    expect(isCrossOrigin({ origin, site }, own)).toBe(true);
  });
});

describe('isSafeMethod', () => {
  it('is true of what changes nothing', () => {
    const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'get'];
    expect(methods.filter(isSafeMethod)).toEqual(['GET', 'HEAD', 'OPTIONS']);
  });
});
