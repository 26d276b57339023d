import { describe, expect, it } from 'vitest';
import { HTTPError } from '../../src/engine/http-error.ts';
import { parseQuery, readQuery } from '../../src/engine/query.ts';

describe('parseQuery', () => {
  it.each([
    ['', []],
    ['&&', []],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['=b', [['', 'b']]],
    ['a=b=c', [['a', 'b=c']]],
    [
      'b&c=1&&d',
      [
        ['b', ''],
        ['c', '1'],
        ['d', ''],
      ],
    ],
    [
      'a=1&b',
      [
        ['a', '1'],
        ['b', ''],
      ],
    ],
    [
      'a+b=c%2Bd%3D&%C3%A9=+',
      [
        ['a b', 'c+d='],
        ['é', ' '],
      ],
    ],
  ])('reads %j', (search, pairs) => {
    expect(parseQuery(search)).toEqual(pairs);
  });

  it.each(['a=%', 'a=%C3', 'a=1&%zz'])('refuses %j with 400', (search) => {
    expect(() => parseQuery(search)).toThrow(new HTTPError(400, 'the query is not valid percent-encoding'));
  });

  it('looks at names without a value once, however many there are', () => {
    const names = Array.from({ length: 200_000 }, (_, i) => `k${i}`);
    const startMs = performance.now();
    expect(parseQuery(names.join('&'))).toHaveLength(names.length);
    // 20 ms; each looked for to the end it would be 30 s.
    expect(performance.now() - startMs).toBeLessThan(1_000);
  });
});

describe('readQuery', () => {
  const unreadable = new HTTPError(400, 'the query is not valid percent-encoding');

  it('gives what is wanted, and asks of each name once', () => {
    const asked: string[] = [];
    const taken: string[][] = [];
    readQuery(
      'a=1&%62=%32&c&a&=d',
      (name) => {
        asked.push(name);
        return name === 'a' || name === '';
      },
      (name, value) => taken.push([name, value]),
    );
    expect(taken).toEqual([
      ['a', '1'],
      ['a', ''],
      ['', 'd'],
    ]);
    expect(asked).toEqual(['a', 'b', 'c', 'a', '']);
  });

  it.each(['a=1&b=%', 'b=%zz&a', '%=1', 'b&c=%C3'])('refuses %j, wanted or not', (search) => {
    for (const wanted of [true, false]) expect(() => readQuery(search, () => wanted)).toThrow(unreadable);
  });

  it('ends where whoever is asked, or takes, throws', () => {
    const stop = (): never => {
      throw new Error('enough');
    };
    expect(() => readQuery('a&b=%', stop)).toThrow('enough');
    expect(() => readQuery('a&b=%', () => true, stop)).toThrow('enough');
  });
});
