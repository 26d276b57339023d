import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mostLoops, patternCost } from '../../src/schema/pattern-cost.ts';

describe('patternCost', () => {
  it.each([
    ['^[^@]+@[^@]+\\.[^@]+$', 2, 'a@a', '.a'],
    ['^\\S+@\\S+\\.\\S+$', 3, 'a', '@a'],
    ['^\\s*(.*?)\\s*$', 3, '\t', '\t'],
    ['^.*.*.*.*x$', 4, 'a', 'a'],
    ['^a*a*bc*c*$', 3, 'a', 'a'],
    ['^\\d+\\d+$', 2, '0', '0'],
    ['^.*a.*b$', 2, 'a', 'aa'],
    ['^b$|^a+a+$', 2, 'a', 'a'],
    // What begins anywhere is tried everywhere.
    ['\\s+$', 2, 'a', '\t'],
    ['a*$', 2, 'a', 'a'],
    ['<[^>]*>', 2, 'a', '<a'],
  ])('finds that %s takes the power %i of the length', (source, exponent, begin, part) => {
    expect(patternCost(source)).toEqual({ exponent, begin, part });
    expect(mostLoops(source)).toBeGreaterThanOrEqual(exponent);
  });

  it.each([
    ...[
      '',
      'a',
      'foo',
      '^a*',
      'a*',
      'a+',
      '^[a-z]+$',
      '^(?:a|b)*$',
      '^a*b*c*d*$',
      '^(?=.*\\d)(?=.*[a-z]).{8,}$',
    ],
    ...['^[a-z0-9]+(?:-[a-z0-9]+)*$', '^([a-z]+,)*[a-z]+$', '^[A-Z][a-z]+(?: [A-Z][a-z]+)*$'],
    ...['^(?:[\\w-]+\\.)*[\\w-]+@[\\w-]+$', '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', '^\\$|^[|]\\|*$'],
  ])('lets %s pass', (source) => {
    expect(patternCost(source).exponent).toBe(1);
  });

  it('shows texts that cost what it says', () => {
    for (const source of ['^\\S+@\\S+\\.\\S+$', '^[^@]+@[^@]+\\.[^@]+$', '^.*a.*b$', '\\s+$', '^\\d+\\d+$']) {
      const { begin, part } = patternCost(source);
      const pattern = new RegExp(source, 'u');
      const msOf = (length: number): number => {
        const text = `${begin}${part.repeat(length / part.length)}\u0000 @`;
        const before = process.cpuUsage();
        pattern.test(text);
        return process.cpuUsage(before).user / 1_000;
      };
      msOf(2_000);
      // Four times the length: sixteen times the time at least, and four for what is linear.
      expect(msOf(12_000) / Math.max(msOf(3_000), 0.1), source).toBeGreaterThan(6);
    }
  });

  it('is soon done, whatever it is given', () => {
    const loops = `^${Array.from({ length: 40 }, (_, i) => `[a-z${i}]*`).join('')}$`;
    const words = `^(${Array.from({ length: 50 }, (_, i) => `w${i}*`).join('|')})*$`;
    const before = process.cpuUsage();
    expect(patternCost(loops).exponent).toBeGreaterThan(4);
    patternCost(words);
    expect(patternCost(`^${'a*'.repeat(10_000)}$`).exponent).toBe(1);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
  });

  it('takes whatever is a regular expression', () => {
    const piece = fc.constantFrom(
      ...['a', '.', '\\d', '[a-c]', '[^a]', '(?:', '(', ')', '|', '*', '+', '?', '{2,}', '{3}', '^', '$'],
      ...['\\b', '(?=', '(?<!', '\\p{L}', '\\u{61}', '[|]', '\\|', '[\\]]', '*?'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const source = pieces.join('');
        try {
          new RegExp(source, 'u');
        } catch {
          return;
        }
        expect(patternCost(source).exponent).toBeGreaterThanOrEqual(1);
      }),
      { numRuns: 1_000 },
    );
  });
});
