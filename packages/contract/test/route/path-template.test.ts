import { describe, expect, it } from 'vitest';
import { parsePath, pathNames, pathShape } from '../../src/route/path-template.ts';

describe('parsePath', () => {
  it('takes literal text, parameters and a rest apart', () => {
    expect(parsePath('/tickets/{id}/files/{path*}')).toEqual({
      ok: true,
      segments: [
        { kind: 'literal', text: 'tickets' },
        { kind: 'parameter', name: 'id' },
        { kind: 'literal', text: 'files' },
        { kind: 'rest', name: 'path' },
      ],
    });
  });

  it('gives no segments for the root', () => {
    expect(parsePath('/')).toEqual({ ok: true, segments: [] });
  });

  it('keeps a slash at the end, which makes another path', () => {
    expect(parsePath('/a/')).toEqual({
      ok: true,
      segments: [
        { kind: 'literal', text: 'a' },
        { kind: 'literal', text: '' },
      ],
    });
  });

  it.each([
    ['tickets', 'path "tickets" does not start with "/"'],
    ['', 'path "" does not start with "/"'],
    ['/a?b=1', 'path "/a?b=1" holds a character that no path can match'],
    ['/a#b', 'path "/a#b" holds a character that no path can match'],
    ['/a b', 'path "/a b" holds a character that no path can match'],
    ['/a\\b', 'path "/a\\b" holds a character that no path can match'],
    ['/a%20b', 'path "/a%20b" holds a character that no path can match'],
    ['/a//b', 'path "/a//b" holds an empty segment'],
    ['//a', 'path "//a" holds an empty segment'],
    ['/a/./b', 'path "/a/./b" holds a "." segment'],
    ['/a/..', 'path "/a/.." holds a ".." segment'],
    ['/a/{x}.json', 'segment "{x}.json" is neither literal text nor "{name}"'],
    ['/a/{}', 'segment "{}" is neither literal text nor "{name}"'],
    ['/a/{1x}', 'segment "{1x}" is neither literal text nor "{name}"'],
    ['/a/:id', 'segment ":id" is neither literal text nor "{name}"'],
    ['/a/*', 'segment "*" is neither literal text nor "{name}"'],
    ['/{x}/b/{x}', 'parameter {x} stands twice in "/{x}/b/{x}"'],
    ['/{rest*}/b', '{rest*} is not the last segment'],
    ['/a/{__proto__}', 'no parameter can be named __proto__'],
    ['/a/{__proto__*}', 'no parameter can be named __proto__'],
  ])('refuses %j', (path, rule) => {
    expect(parsePath(path)).toEqual({ ok: false, rule });
  });
});

describe('pathNames', () => {
  it('lists the parameters in order, a rest without its star', () => {
    expect(pathNames('/a/{x}/b/{y}/{rest*}')).toEqual(['x', 'y', 'rest']);
    expect(pathNames('/a')).toEqual([]);
  });

  it('lists none for a template that does not parse', () => {
    expect(pathNames('/{x}/{x}')).toEqual([]);
  });
});

describe('pathShape', () => {
  it('forgets the names of parameters, and tells a rest from a parameter', () => {
    expect(pathShape('/a/{x}/b')).toBe(pathShape('/a/{y}/b'));
    expect(pathShape('/a/{x}')).not.toBe(pathShape('/a/{x*}'));
    expect(pathShape('/a/{x}')).not.toBe(pathShape('/a/x'));
    expect(pathShape('/a/{x}')).not.toBe(pathShape('/a/{x}/'));
  });
});
