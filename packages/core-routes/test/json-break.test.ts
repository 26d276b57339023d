import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonBreak } from '../src/input/json-break.ts';

describe('jsonBreak', () => {
  it.each([
    ['{"a":}', 5],
    ['{"a" 1}', 5],
    ['{a:1}', 1],
    ["{'a':1}", 1],
    ['{"a":1,}', 7],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['[1}', 2],
    ['{"a":1]', 6],
    ['{"a":1}{', 7],
    ['[,1]', 1],
    [':', 0],
    ['01', 1],
    ['NaN', 0],
    ['nul', 0],
    ['{1:2}', 1],
    ['"a\nb"', 2],
    ['"a\\x"', 2],
    ['"\\u12g4"', 1],
    ['\ufeff1', 0],
    ['', 0],
    ['  ', 2],
    ['{', 1],
    ['{"a"', 4],
    ['[1,', 3],
    ['"open', 5],
  ])('finds it in %j', (text, index) => {
    expect(jsonBreak(text)).toBe(index);
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  });

  it('finds none in JSON, and none before the place that it finds', () => {
    const blanks = fc.constantFrom(undefined, 1, 2, '\t');
    fc.assert(
      fc.property(
        fc.jsonValue(),
        blanks,
        fc.nat(),
        fc.string({ maxLength: 2 }),
        (value, space, where, junk) => {
          const text = JSON.stringify(value, undefined, space);
          expect(jsonBreak(text)).toBe(text.length);
          const at = where % (text.length + 1);
          for (const broken of [
            text.slice(0, at) + junk + text.slice(at),
            text.slice(0, at) + text.slice(at + 1),
          ]) {
            const found = jsonBreak(broken);
            expect(found).toBeLessThanOrEqual(broken.length);
            // What is before may still become JSON; what is behind it is never looked at.
            expect(jsonBreak(broken.slice(0, found))).toBe(found);
            if (found < broken.length) expect(() => JSON.parse(broken) as unknown).toThrow(SyntaxError);
          }
        },
      ),
    );
  });

  it('takes no longer for a long text than its length asks', () => {
    const text = `{"a":"${'\\n '.repeat(1_000_000)}" "b"}`;
    const beganMs = performance.now();
    expect(jsonBreak(text)).toBe(text.length - 4);
    expect(performance.now() - beganMs).toBeLessThan(3000);
  });
});
