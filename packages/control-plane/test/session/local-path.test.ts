import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localPath } from '../../src/session/local-path.ts';

const here = 'https://desk.example';

describe('localPath', () => {
  it.each([
    ['/', '/'],
    ['/board', '/board'],
    ['/board/1?a=b&c=%20#d', '/board/1?a=b&c=%20#d'],
    ['/a b/ü', '/a%20b/%C3%BC'],
    ['/a/../b', '/b'],
    ['/%2f%2fevil.example', '/%2f%2fevil.example'],
    ['/a?to=//evil.example', '/a?to=//evil.example'],
    [`/${'x'.repeat(1_999)}`, `/${'x'.repeat(1_999)}`],
  ])('keeps a path of our own: %s', (given, path) => {
    expect(localPath(given)).toBe(path);
  });

  it.each([
    ...[
      undefined,
      null,
      7,
      ['/a'],
      '',
      'a',
      '//a',
      '///a',
      '/\\a',
      '\\/a',
      '\\a',
      '/a\\b',
      '/\u0000',
      '/\t/a',
    ],
    ...[
      '/\r\na: b',
      '/\u007f',
      '/\u0085',
      '/.//a',
      '/..//a',
      '/a/..//b',
      '/%2e//a',
      '/\ud800',
      'http:a',
      'https://a',
    ],
    ...['javascript:a', 'data:,a', ' /a', `/${'x'.repeat(2_000)}`],
  ])('is the start for anything else: %j', (given) => {
    expect(localPath(given)).toBe('/');
  });

  it('never leads away, whatever it is given', () => {
    const parts = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '%2e',
      '%2f',
      '\t',
      '\n',
      'evil.example',
      ':',
      '@',
      '?',
      '#',
      'a',
      'https:',
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(parts, { maxLength: 8 }).map((list) => list.join('')),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom('/', '/a/', ''), (text, start) => {
        const path = localPath(start + text);
        expect(path).toMatch(/^\/(?!\/)[!-~]*$/);
        expect(new URL(path, `${here}/_svc/session`).origin).toBe(here);
      }),
      { numRuns: 2_000 },
    );
  });
});
