import { HTTPError } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../src/door/request-target.ts';

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
