import { type JsonLimits, jsonExcess } from '@waymark/contract/http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonScan } from '../src/input/json-scan.ts';

const limits: JsonLimits = { levels: 8, values: 40 };

/** Longer than a text or number may be without being listed. */
const long = { text: 20, number: 1_100 } as const;

/** What is found of a text that comes in these pieces. */
function scanOf(bytes: Buffer, cuts: readonly number[] = []) {
  const scan = new JsonScan(limits, long.text);
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

/** Pieces of JSON, whole and broken, in any order. */
const json = fc
  .array(
    fc.oneof(
      fc.constantFrom('[', ']', '{', '}', ',', ':', ' ', '\n', '"', '\\', '-', '1', '.5e+1', 'true', 'null'),
      fc.constantFrom('"name":', '"\\\\\\""', '"\\', '[]', '{}', '[ ', '{ }', '"":'),
      fc.constantFrom('x', '\\"', '\\\\', 'é').map((unit) => `"${unit.repeat(long.text)}"`),
      fc.constantFrom('1', '0', '-1').map((digit) => digit.padEnd(long.number, '7')),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

describe('JsonScan', () => {
  it('finds the same however a text is cut', () => {
    fc.assert(
      fc.property(json, fc.array(fc.nat({ max: 4_000 }), { maxLength: 12 }), (text, cuts) => {
        const bytes = Buffer.from(text);
        expect(scanOf(bytes, cuts)).toEqual(scanOf(bytes));
      }),
      { numRuns: 1_000 },
    );
    fc.assert(
      fc.property(json, (text) => {
        const bytes = Buffer.from(text.slice(0, 3_000));
        expect(scanOf(bytes, [...bytes.keys()])).toEqual(scanOf(bytes));
      }),
    );
  });

  it('finds the limits that `jsonExcess` finds', () => {
    fc.assert(
      fc.property(json, (text) => {
        expect(scanOf(Buffer.from(text)).excess).toBe(jsonExcess(text, limits));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['as many values', `[${Array(39).fill('1').join()}]`, undefined],
    ['one more', `[${Array(40).fill('1').join()}]`, 'values'],
    ['as many levels', '['.repeat(8), undefined],
    ['one more', '['.repeat(9), 'levels'],
    ['empty ones', `[${Array(38).fill('[ ]').join()}]`, undefined],
    ['marks in texts', `["${',[{'.repeat(50)}"]`, undefined],
    ['names without end', '"":'.repeat(300), 'values'],
  ])('counts what is no text: %s', (_, text, excess) => {
    const bytes = Buffer.from(text);
    expect(scanOf(bytes).excess).toBe(excess);
    expect(scanOf(bytes, [...bytes.keys()]).excess).toBe(excess);
  });

  it('lists long texts and numbers, and no names', () => {
    const text = 'x'.repeat(21);
    const number = '-1.'.padEnd(1_100, '5');
    expect(listed(`{"${text}":"${text}", "a": ["${text}", ${number}e-3, "b"] }`)).toEqual([
      text,
      text,
      `${number}e-3`,
    ]);
    expect(listed(`"${'x'.repeat(20)}"`)).toEqual([]);
    expect(listed(`"${'1'.repeat(1_100)}" \n:`)).toEqual([]);
  });

  it('looks at nothing behind an excess', () => {
    const scan = new JsonScan(limits, long.text);
    scan.take(Buffer.from('['.repeat(9)));
    scan.take(Buffer.from(`"${'x'.repeat(100)}"`));
    expect(scan).toMatchObject({ excess: 'levels', long: [], length: 111 });
  });
});
