import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayRunAway } from '../../src/schema/check-pattern.ts';

describe('mayRunAway', () => {
  it.each([
    ...['(a+)+$', '(a*)*$', '(a|a)*$', '(a|aa)+$', '(a|b|ab)*c', '(a?a?)*$', '(x+x+)+y', '(?<n>a+)+$'],
    ...['^(\\w+\\s?)*$', '(.*a){12}$', '^(a{1,30}){1,30}$', '(?:(?:a|b)+c?)+$', '(\\d+|\\d+x)*$'],
    ...['(\\s|\\n)*$', '(é|é)*$', '(\\p{L}|a)*$', '^(?=(a+)+$)b', '(\\u0061|a)*$', '([a-c]|[c-e])*$'],
    '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$',
  ])('finds that %s can read one text in many ways', (source) => {
    new RegExp(source, 'u');
    expect(mayRunAway(source)).toBe(true);
  });

  it.each([
    ...[
      '',
      'a',
      '^[a-z]+$',
      '^(a|b)*$',
      '()*',
      '(?:)*',
      '(^a)*',
      '(\\bfoo\\b)+',
      '^(?!a)(b)+$',
      '(a)\\1*',
      '(?:a(?=a*))*$',
    ],
    ...[
      '^(\\w+\\.)*\\w+$',
      '^(?:[a-z0-9]+-)*[a-z0-9]+$',
      '^(\\d{1,3}\\.){3}\\d{1,3}$',
      '(?:[^"\\\\]|\\\\.)*"',
    ],
    ...['^([a-z]{12}-?){1,12}$', '^(GET|POST)(,(GET|POST))*$', '^#([0-9a-f]{3}){1,2}$', '(a|\\p{Lu})*$'],
    ...['^\\s*(.*?)\\s*$', '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', '([a-c]|[d-e])*$', '(\\)|[(*+])*'],
  ])('lets %s pass', (source) => {
    new RegExp(source, 'u');
    expect(mayRunAway(source)).toBe(false);
  });

  it('is soon done, whatever it is given', () => {
    const large = `^(${Array.from({ length: 99 }, () => '[a-z]?').join('')})*$`;
    const words = `^(${Array.from({ length: 50 }, (_, i) => `w${i}`).join('|')})*$`;
    const startedMs = performance.now();
    expect(mayRunAway(large)).toBe(true);
    expect(mayRunAway(words)).toBe(false);
    expect(mayRunAway(`(${'a?'.repeat(10_000)})*`)).toBe(false);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });

  it.each([String.raw`(?<größe>x)+\k<größe>`, String.raw`(?<\u0061>x)*`, '(?<$>a+)+'])(
    'takes the group names of %s',
    (source) => {
      expect(mayRunAway(source)).toBe(source.includes('a+'));
    },
  );

  it('takes whatever is a regular expression', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'b',
        '.',
        '\\d',
        '[a-c]',
        '[^a]',
        '(?:',
        '(',
        ')',
        '|',
        '*',
        '+',
        '?',
        '{2,}',
        '{3}',
        '^',
        '$',
      ],
      ...['\\b', '(?=', '(?<!', '\\p{L}', '\\u{61}', '\\/', '[\\]]', '*?'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const source = pieces.join('');
        let isPattern = true;
        try {
          new RegExp(source, 'u');
        } catch {
          isPattern = false;
        }
        if (isPattern) expect([true, false]).toContain(mayRunAway(source));
      }),
      { numRuns: 2_000 },
    );
  });
});
