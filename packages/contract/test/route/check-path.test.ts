import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkPath } from '../../src/route/check-path.ts';
import { parsePath } from '../../src/route/path-template.ts';

const linesOf = (path: unknown): readonly string[] =>
  checkPath(path).map(({ code, rule, fix }) => `${code}: ${rule}; ${fix}`);

describe('checkPath', () => {
  it.each(['/', '/a', '/a/', '/a/{id}', '/{a}/{b}', '/a/{rest*}', '/a.b-c_d~e', '/{_x1}'])(
    'takes %s',
    (path) => {
      expect(checkPath(path)).toEqual([]);
    },
  );

  it.each([
    [5, "path-form: the path is not a text; write '/tickets/{id}'"],
    ['', 'path-form: path "" does not start with "/"; write "/"'],
    ['a/{id}', 'path-form: path "a/{id}" does not start with "/"; write "/a/{id}"'],
    ['/a?b=1', 'path-character: path "/a?b=1" holds a character that no path can match; write "/a"'],
    ['/a#b', 'path-character: path "/a#b" holds a character that no path can match; write "/a"'],
    ['/a b', expect.stringContaining('leave it out')],
    ['\\a', expect.stringContaining('write "/a"')],
    ['/a//b', 'path-segment: path "/a//b" holds an empty segment; write "/a/b"'],
    ['/a/../b', 'path-segment: path "/a/../b" holds a ".." segment; take it out'],
    ['/a/:id', 'path-segment: segment ":id" is neither literal text nor "{name}"; write "/a/{id}"'],
    ['/a/:id/b', expect.stringContaining('write "/a/{id}/b"')],
    ['/a/[id]', 'path-segment: segment "[id]" is neither literal text nor "{name}"; write "/a/{id}"'],
    ['/a/<int:id>', expect.stringContaining('write "/a/{id}"')],
    ['/a/{id:\\d+}', expect.stringContaining('write "/a/{id')],
    ['/a/*', 'path-segment: segment "*" is neither literal text nor "{name}"; write "/a/{rest*}"'],
    ['/a/*path', expect.stringContaining('write "/a/{path*}"')],
    [
      '/a/{id}.json',
      'path-segment: segment "{id}.json" is neither literal text nor "{name}"; let the parameter be the whole segment, and take it apart in the handler',
    ],
    ['/{__proto__}', 'path-segment: no parameter can be named __proto__; choose another name'],
    ['/{id}/{id}', 'path-parameter-twice: parameter {id} stands twice in "/{id}/{id}"; rename one of them'],
    ['/{id*}/b', 'path-rest-last: {id*} is not the last segment; write "/{id}/b"'],
  ])('finds %j, and says what was meant', (path, line) => {
    expect(linesOf(path)).toContainEqual(line);
  });

  it('finds everything at once', () => {
    const codes = checkPath('a//{id}/{id}/{rest*}/:b').map(({ code }) => code);
    expect(codes).toEqual([
      'path-form',
      'path-segment',
      'path-rest-last',
      'path-segment',
      'path-parameter-twice',
    ]);
  });

  it('lets no path pass that the router would refuse', () => {
    const part = fc.constantFrom(
      'a',
      '{id}',
      '{x*}',
      ':id',
      '',
      '.',
      '..',
      '{',
      '}',
      '*',
      '?',
      '%',
      ' ',
      '{a}b',
    );
    fc.assert(
      fc.property(fc.boolean(), fc.array(part, { maxLength: 4 }), (slash, parts) => {
        const path = (slash ? '/' : '') + parts.join('/');
        expect([path, checkPath(path).length > 0]).toEqual([path, !parsePath(path).ok]);
      }),
    );
  });
});
