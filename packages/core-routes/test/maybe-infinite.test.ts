import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maybeInfinite } from '../src/input/maybe-infinite.ts';

const digits = (most: number) =>
  fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: most }), fc.constantFrom('0', '9', '5'))
    .map(([first, length, digit]) => `${first}${digit.repeat(length)}`);
const exponent = fc.oneof(
  fc.constant(''),
  fc
    .tuple(
      fc.constantFrom('e', 'E'),
      fc.constantFrom('', '+', '-'),
      fc.constantFrom('', '00'),
      fc.integer({ min: 0, max: 400 }),
    )
    .map((parts) => parts.join('')),
);
/** Numbers as JSON writes them, many of them around the largest that is kept. */
const number = fc
  .tuple(fc.constantFrom('', '-'), digits(330), fc.constantFrom('', '.5', '.000'), exponent)
  .map((parts) => parts.join(''));

describe('maybeInfinite', () => {
  it('misses no number that is read as infinite, wherever it stands', () => {
    fc.assert(
      fc.property(number, fc.string(), (text, before) => {
        const json = JSON.stringify([before, 0]).replace(/0\]$/, `${text}]`);
        const [, read] = JSON.parse(json) as [string, number];
        if (!Number.isFinite(read)) expect(maybeInfinite(json), json).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    [`${'9'.repeat(199)}`, false],
    [`${'9'.repeat(200)}`, true],
    [`x${'9'.repeat(199)}x${'9'.repeat(199)}x`, false],
    [`${' '.repeat(150)}${'9'.repeat(200)} `, true],
    ['{"a":1e99,"b":-1.5E-300,"id":"a-b-c","word":"e1234"}', false],
    ['1e100', true],
    ['1E+100', true],
    ['', false],
  ])('is sure of most texts: %s', (text, maybe) => {
    expect(maybeInfinite(text)).toBe(maybe);
  });

  it('takes time in proportion to the text', () => {
    const mebibyte = 1_048_576;
    for (const unit of ['1', `${'1'.repeat(199)},`, '1e', '1e+', 'e11']) {
      const startedMs = performance.now();
      maybeInfinite(unit.repeat(mebibyte / unit.length));
      expect(performance.now() - startedMs, unit).toBeLessThan(500);
    }
  });
});
