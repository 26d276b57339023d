import { HTTPError } from '@waymark/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPathWriter } from '../../src/proxy/path-writer.ts';

describe('toPathWriter', () => {
  it('writes literal text as URLs have it, and each value as one segment', () => {
    expect(toPathWriter('/').write({})).toBe('/');
    expect(toPathWriter('/a@b;c=1/ä/').write({})).toBe('/a@b;c=1/%C3%A4/');
    expect(toPathWriter('/v1/{id}/x').write({ id: 'a/b c' })).toBe('/v1/a%2Fb%20c/x');
    expect(toPathWriter('/v1/{id}').write({ id: 7 })).toBe('/v1/7');
    expect(toPathWriter('/v1/{id}').write({ id: 'a\ud800b' })).toBe('/v1/a%EF%BF%BDb');
    expect(toPathWriter('/f/{rest*}').write({ rest: 'a/b%/c' })).toBe('/f/a/b%25/c');
    expect(toPathWriter('/f/{rest*}').write({ rest: '' })).toBe('/f/');
  });

  it('takes dots that climb nowhere', () => {
    const { write } = toPathWriter('/v1/{id}');
    for (const id of ['...', 'a..', '..a', 'a.b', 'v1.2;x', 'a;..b', '%2', '100%'])
      expect(write({ id })).toBe(`/v1/${encodeURIComponent(id)}`);
  });

  it('refuses what is no segment, naming the parameter', () => {
    const { write } = toPathWriter('/v1/{id}');
    for (const id of [
      '',
      '.',
      '..',
      '%2e',
      '%2E%2e',
      'a/..',
      '..\\a',
      'a%2f..%5cb',
      '..;',
      '..;jsessionid=1',
      '..%3Ba',
      'a/..;/b',
      '%252e%252E',
      '%25252e.',
      'a%25252f..%25255cb',
      'a\u0000',
      '\r\n',
      '\u007f',
    ])
      expect(() => write({ id }), JSON.stringify(id)).toThrow(HTTPError);
    expect(() => write({})).toThrow('/id cannot be part of a path');
    try {
      write({ id: '..' });
    } catch (error) {
      expect(error).toMatchObject({
        status: 422,
        members: { errors: [{ path: '/id', message: 'cannot be part of a path' }] },
      });
    }
  });

  it('never leaves the path or the host, whatever the values are', () => {
    const one = toPathWriter('/v1/{id}/notes');
    const rest = toPathWriter('/v1/{id*}');
    const nasty = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(
          fc.constantFrom(
            '..',
            '.',
            '/',
            '\\',
            '%2e',
            '%2f',
            '%5c',
            '?',
            '#',
            '@',
            'a',
            ':',
            '\u0000',
            '%25',
          ),
        )
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(nasty, (id) => {
        for (const writer of [one, rest]) {
          let path: string;
          try {
            path = writer.write({ id });
          } catch (error) {
            expect(error).toBeInstanceOf(HTTPError);
            continue;
          }
          const url = new URL(`http://upstream.example${path}`);
          // As it was written: no parser finds anything to resolve in it.
          expect([url.host, url.pathname, url.search, url.hash]).toEqual(['upstream.example', path, '', '']);
          expect(path.startsWith('/v1/')).toBe(true);
          if (writer === one) expect(path.split('/')).toHaveLength(4);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('reads what it has written', () => {
    const writer = toPathWriter('/v1/{id}/f/{rest*}');
    expect(writer.read('/v1/a%2Fb/f/c/d%20e')?.values).toEqual({ id: 'a/b', rest: 'c/d e' });
    expect(writer.read('/v1/a/f/')?.values).toEqual({ id: 'a', rest: '' });
    for (const other of ['/v1/a/g/c', '/v1//f/c', '/v1/a/f', '/v2/a/f/c', '/v1/%/f/c', '/', ''])
      expect(writer.read(other), other).toBeUndefined();
    expect(toPathWriter('/').read('/')?.values).toEqual({});
    expect(toPathWriter('/a').read('/a/b')).toBeUndefined();
    expect(toPathWriter('/a/').read('/a/')?.values).toEqual({});
    expect(toPathWriter('/a/').read('/a')).toBeUndefined();
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (id) => {
        const one = toPathWriter('/v1/{id}');
        try {
          expect(one.read(one.write({ id }))?.values).toEqual({ id });
        } catch (error) {
          if (!(error instanceof HTTPError)) throw error;
        }
      }),
    );
  });

  it('writes a value as it was spelt, as long as it is that value', () => {
    const here = toPathWriter('/{a}/x/{rest*}');
    const { values = {}, spelling } = here.read('/b:%3A/%78/c;d/e%2ff') ?? {};
    expect(values).toEqual({ a: 'b::', rest: 'c;d/e/f' });
    expect(here.write(values, spelling)).toBe('/b:%3A/%78/c;d/e%2ff');
    expect(here.write({ ...values, a: 'b:' }, spelling)).toBe('/b%3A/%78/c;d/e%2ff');
    expect(here.write(values)).toBe('/b%3A%3A/x/c%3Bd/e/f');
    // Its slashes would separate.
    expect(toPathWriter('/{rest}/{a}').write(values, spelling)).toBe('/c;d%2Fe%2ff/b:%3A');
    // Literal text of another template says nothing of this one's.
    expect(toPathWriter('/{a}/y').write(values, spelling)).toBe('/b:%3A/y');
  });

  it('refuses a segment that begins with its parameters, which some servers leave out', () => {
    const { read, write } = toPathWriter('/v1/{id}/x');
    const { values = {}, spelling } = read('/v1/;a=1/x') ?? {};
    expect(() => write(values, spelling)).toThrow('/id cannot be part of a path');
    expect(write(values)).toBe('/v1/%3Ba%3D1/x');
  });
});
