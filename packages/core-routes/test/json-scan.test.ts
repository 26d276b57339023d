import { type JsonLimits, jsonExcess } from '@waymark/contract/http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonScan } from '../src/input/json-scan.ts';

const limits: JsonLimits = { levels: 3, values: 8 };

/** Bytes of a text up to which it is not listed, and digits of a number. */
const most = { text: 20, digits: 1_025 } as const;

/** What is found of a text that comes in these pieces. */
function scanOf(bytes: Buffer, cuts: readonly number[] = []) {
  const scan = new JsonScan(limits, most.text);
  const ends = [...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
  let start = 0;
  for (const end of ends) {
    // Whoever shows it a piece may use its memory for something else.
    const piece = Buffer.from(bytes.subarray(start, end));
    scan.take(piece);
    piece.fill(0);
    start = end;
  }
  return { excess: scan.excess, long: scan.long, length: scan.length };
}

const listed = (text: string) => {
  const bytes = Buffer.from(text);
  return scanOf(bytes).long.map(({ start, end }) => bytes.toString('utf8', start, end));
};

const marks = fc.constantFrom('[', ']', '{', '}', ',', ':', ' ', '\n', '[]', '{}', '[ ', '{ }', '[{[', ',,,');
const texts = fc.constantFrom('"name":', '"', '\\', '"\\\\\\""', '"\\', '"":', '"""');
const long = fc.constantFrom('x', '\\"', '\\\\', 'é').map((unit) => `"${unit.repeat(most.text)}"`);
const numbers = fc.constantFrom(
  '-',
  '1',
  '.5e+1',
  'true',
  '-1'.padEnd(most.digits + 1, '7'),
  '9'.repeat(1_030),
);

/** Pieces of JSON, whole and broken, in any order. */
const json = fc
  .array(fc.oneof({ weight: 3, arbitrary: marks }, texts, { weight: 2, arbitrary: long }, numbers), {
    maxLength: 30,
    size: 'max',
  })
  .map((parts) => parts.join(''));

describe('JsonScan', () => {
  it('finds the same however a text is cut', () => {
    const excesses = new Set<string | undefined>();
    fc.assert(
      fc.property(
        json,
        fc.array(fc.oneof(fc.nat({ max: 300 }), fc.integer({ min: 1_020, max: 1_060 })), { maxLength: 12 }),
        (text, cuts) => {
          const bytes = Buffer.from(text);
          const whole = scanOf(bytes);
          excesses.add(whole.excess);
          expect(scanOf(bytes, cuts)).toEqual(whole);
          expect(scanOf(bytes, [...bytes.subarray(0, 300).keys()])).toEqual(whole);
        },
      ),
      { numRuns: 1_000 },
    );
    expect(excesses.size).toBe(3);
  });

  it('finds the limits that `jsonExcess` finds', () => {
    const excesses = new Set<string | undefined>();
    fc.assert(
      fc.property(json, (start) => {
        // What is short is not counted there, and a bracket at the end holds nothing here.
        const text = `${start} 1${' '.repeat(2 * limits.values)}`;
        const { excess } = scanOf(Buffer.from(text));
        excesses.add(excess);
        expect(excess).toBe(jsonExcess(text, limits));
      }),
      { numRuns: 1_000 },
    );
    expect(excesses.size).toBe(3);
  });

  it.each([
    ['as many values', `[${Array(7).fill('1').join()}]`, undefined],
    ['one more', `[${Array(8).fill('1').join()}]`, 'values'],
    ['as many levels', '[[[]]]', undefined],
    ['one more', '[[[[', 'levels'],
    ['empty ones', `[${Array(6).fill('[ ]').join()},{}]`, undefined],
    ['a bracket that holds one more', `[${Array(6).fill('1').join()}, [ 1`, 'values'],
    ['marks in texts', `["${',[{'.repeat(50)}"]`, undefined],
    ['names without end', '"":'.repeat(100), 'values'],
  ])('counts what is no text: %s', (_, text, excess) => {
    const bytes = Buffer.from(text);
    expect(scanOf(bytes).excess).toBe(excess);
    expect(scanOf(bytes, [...bytes.keys()]).excess).toBe(excess);
  });

  it('lists long texts that are no names, and digits behind as many as tell that a number is too long', () => {
    const text = 'x'.repeat(21);
    const zeros = '0'.repeat(1_025);
    expect(listed(`{"${text}":"${text}", "a": ["${text}", -1.${zeros}123e-3, ${zeros}, "b"] }`)).toEqual([
      text,
      text,
      '123',
    ]);
    expect(listed(`"${'x'.repeat(20)}"`)).toEqual([]);
    expect(listed(`"${'1'.repeat(1_100)}" \n:`)).toEqual([]);
  });

  it('looks at nothing behind an excess', () => {
    const scan = new JsonScan(limits, most.text);
    scan.take(Buffer.from('[[[[['));
    scan.take(Buffer.from(`"${'x'.repeat(100)}"`));
    expect(scan).toMatchObject({ excess: 'levels', long: [], length: 107 });
  });
});
