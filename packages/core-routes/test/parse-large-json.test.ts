import { HTTPError } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../src/input/parse-json.ts';
import { parseLargeJson, scanOfLarge } from '../src/input/parse-large-json.ts';

const maxValues = 1_000;

type Reading = { readonly value: unknown } | { readonly refusal: unknown };

function told(read: () => unknown): Reading {
  try {
    return { value: read() };
  } catch (error) {
    if (!(error instanceof HTTPError)) throw error;
    return { refusal: [error.status, error.message, error.members] };
  }
}

/** Reads it to the end, and says how many pieces that took. */
function inPieces(bytes: Uint8Array): { readonly value: unknown; readonly pieces: number } {
  const reading = parseLargeJson(bytes, maxValues);
  for (let pieces = 1; ; pieces++) {
    const piece = reading.next();
    if (piece.done) return { value: piece.value, pieces };
  }
}

const bytesOf = (text: string): Buffer => Buffer.from(text);
const large = (bytes: Uint8Array): Reading => told(() => inPieces(bytes).value);
const small = (bytes: Uint8Array): Reading => told(() => parseJson(bytes, maxValues));

const long = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length));

describe('parseLargeJson', () => {
  it('reads what JSON writes, long texts and short ones, as `parseJson` does', () => {
    const text = fc
      .tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 9_000 }))
      .map(([unit, length]) => long(unit, length));
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.string(),
        fc.integer(),
        fc.constant(null),
        fc.array(tie('node'), { maxLength: 4 }),
        fc.dictionary(fc.oneof(fc.string(), text), tie('node'), { maxKeys: 4 }),
      ),
    })).node;
    fc.assert(
      fc.property(value, (one) => {
        const bytes = bytesOf(JSON.stringify(one));
        expect(large(bytes)).toEqual(small(bytes));
      }),
      { numRuns: 100 },
    );
  });

  it('says of what is broken anywhere what `parseJson` says', () => {
    const whole = JSON.stringify({ a: long('x', 5_000), b: [long('"\\\u00e9', 9_000), { c: 'd' }], e: 1 });
    fc.assert(
      fc.property(
        fc.nat({ max: whole.length }),
        fc.constantFrom('', '"', '\\', ',', '[', '{', '}', '\u0000', '\n', 'e', ':', '\\u00'),
        fc.nat({ max: 2 }),
        (at, put, gone) => {
          const bytes = bytesOf(whole.slice(0, at) + put + whole.slice(at + gone));
          expect(large(bytes)).toEqual(small(bytes));
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([
    ['escapes', '\\u0000\\ud83d\\ude00\\n'],
    ['escaped quotes', '\\"'],
    ['characters of four bytes', '\u{1f600}'],
    ['plain ones', 'x'],
    ['characters of two bytes behind one', 'xé'],
  ])('reads a text of several pieces: %s', (_, unit) => {
    for (const shift of ['', 'a', 'ab', 'abc']) {
      const bytes = bytesOf(`{"text":"${shift}${long(unit, 2_500_000)}"}`);
      const { value, pieces } = inPieces(bytes);
      expect(pieces).toBeGreaterThan(4);
      expect(
        (value as { text: string }).text === (JSON.parse(bytes.toString()) as { text: string }).text,
      ).toBe(true);
    }
  });

  it.each(['\\n', '\\ud83d\\ude00', '\\\\'])(
    'reads %s about the end of a piece without escapes',
    (escaped) => {
      for (let behind = 1_048_576 - 14; behind <= 1_048_578; behind++) {
        const bytes = bytesOf(`["${'x'.repeat(behind)}${escaped}${'é'.repeat(600_000)}${escaped}"]`);
        const [text] = inPieces(bytes).value as string[];
        expect(text === (JSON.parse(bytes.toString()) as string[])[0]).toBe(true);
      }
    },
  );

  it('reads a part of a larger buffer, and a text alone', () => {
    const text = long('y', 5_000);
    const bytes = bytesOf(`xx"${text}"xx`);
    expect(inPieces(bytes.subarray(2, -2)).value).toBe(text);
  });

  it('leaves the body as it was, also where it is none', () => {
    for (const end of ['"]', '\\x"]']) {
      const bytes = bytesOf(`["${long('é\\n', 2_500_000)}${end}`);
      const before = Buffer.from(bytes);
      told(() => [...parseLargeJson(bytes, maxValues)]);
      expect(bytes.equals(before)).toBe(true);
    }
  });

  it('takes no text for one that it put aside', () => {
    const values = [long('x', 5_000), '0'.padEnd(4_096), '0', { '0': long('y', 4_097) }];
    expect(inPieces(bytesOf(JSON.stringify(values))).value).toEqual(values);
  });

  it.each([
    ['too deep', `${'['.repeat(65)}"${long('x', 5_000)}"${']'.repeat(65)}`, 400],
    ['too many values', `[${long('0,', 2_000)}0]`, 413],
    ['commas without end', long(',', 9_000), 413],
    ['a forbidden name beside a long text', `{"a":"${long('x', 5_000)}","__proto__":{}}`, 400],
    ['no number, for which another member stands', `{"a":${long('.', 3_000)}${long('7', 1_030)},"a":1}`, 400],
    ['nor behind its digits', `{"a":${long('7', 1_030)}${long('-7', 3_000)},"a":1}`, 400],
    ['a number with two signs, for which another member stands', `{"a":--${long('7', 1_030)},"a":1}`, 400],
    ['one behind another', `[0.${long('0', 700)}-12345678901234567890]`, 400],
    ['one with a leading zero', `{"a":0${long('7', 1_030)},"a":1}`, 400],
    ['a number beyond all that are kept', `{"a":"${long('x', 5_000)}","b":1e400}`, 422],
    ['a number that would be rounded', `{"a":"${long('x', 5_000)}","b":1234567890123456789}`, 422],
    [
      'a number with more digits than any has',
      `{"a":"${long('x', 5_000)}","b":[0,-${long('1', 1_025)}]}`,
      422,
    ],
    ['one behind a point', `[1,{"b":1.${long('0', 1_025)}}]`, 422],
    ['one in an exponent', `[1,{"b":-1.5e+${long('0', 1_025)}1}]`, 422],
    ['one with as many digits', `[1,{"b":1.${long('0', 1_022)}}]`, undefined],
    ['one alone', long('7', 2_000), 422],
    [
      'a text of as many digits',
      `{"a":"${long('1', 5_000)}","${long('2', 5_000)}":"${long('3', 1_025)}"}`,
      undefined,
    ],
    ['a text that never ends', `["${long('x', 5_000)}`, 400],
    ['an escape that never ends', `["${long('x', 5_000)}\\`, 400],
    ['a line break inside of a text', `["${long('x', 5_000)}\n"]`, 400],
    ['a byte order mark', `\ufeff["${long('x', 5_000)}"]`, undefined],
    [
      'a forbidden word inside of a long text',
      `["${long('"__proto__":', 9).replaceAll('"', '\\"')}"]`,
      undefined,
    ],
  ])('refuses what `parseJson` refuses: %s', (_, text, status) => {
    const bytes = bytesOf(text);
    const said = large(bytes);
    expect(said).toEqual(small(bytes));
    expect('refusal' in said ? (said.refusal as readonly unknown[])[0] : undefined).toBe(status);
  });

  it('passes over a number of several pieces', () => {
    verifies('http.coerce.long-numbers');
    const bytes = bytesOf(`{"a":"${long('x', 5_000)}","b":{"c":${long('1', 5_000_000)}}}`);
    const reading = parseLargeJson(bytes, maxValues, { at: '/given' });
    let pieces = 0;
    const read = (): void => {
      while (!reading.next().done) pieces++;
    };
    expect(told(read)).toMatchObject({ refusal: [422, expect.stringContaining('/given/b/c'), {}] });
    expect(pieces).toBeGreaterThan(4);
  });

  it('says what is no JSON behind a long number', () => {
    for (const text of [
      `[${long('1-', 5_000)}]`,
      `[1,${long('1', 2_000)}x]`,
      `{"a":${long('1', 2_000)}"b"}`,
    ]) {
      const said = large(bytesOf(text));
      expect('refusal' in said && (said.refusal as readonly unknown[])[0]).toBe(400);
    }
  });

  it.each([0, 1, 7_000, 12_005, 20_000])('goes on where a scan is that saw %i bytes as they came', (seen) => {
    const bytes = bytesOf(
      JSON.stringify({ a: long('x', 6_000), b: long('"\\', 6_000), c: long('1', 2_000) }),
    );
    const scan = scanOfLarge(maxValues);
    scan.take(bytes.subarray(0, seen));
    const reading = parseLargeJson(bytes, maxValues, { scan });
    let read = reading.next();
    while (!read.done) read = reading.next();
    expect(read.value).toEqual(JSON.parse(bytes.toString()));
    expect(scan.length).toBe(bytes.length);
  });

  it('refuses what a scan found that saw it as it came', () => {
    const bytes = bytesOf(`[${long('0,', 3_000)}0]`);
    const scan = scanOfLarge(maxValues);
    scan.take(bytes);
    expect(told(() => [...parseLargeJson(bytes, maxValues, { scan })])).toMatchObject({
      refusal: [413, expect.stringContaining('values'), {}],
    });
  });

  it('refuses what is no UTF-8', () => {
    expect(large(Buffer.concat([bytesOf('"'), Buffer.alloc(5_000, 0xff), bytesOf('"')]))).toEqual({
      refusal: [400, 'the body is not UTF-8', {}],
    });
    // The end of a character about that of a piece, without its beginning, and a beginning without its end.
    for (const [wrong, at] of [
      [0x80, 1_048_575],
      [0x80, 1_048_576],
      [0xc3, 1_048_575],
      [0xf0, 1_048_574],
    ] as const) {
      const bytes = bytesOf(`"${'x'.repeat(2_000_000)}"`);
      bytes[at] = wrong;
      expect(large(bytes)).toEqual({ refusal: [400, 'the body is not UTF-8', {}] });
    }
  });

  it('says where in the input a number is too large', () => {
    const reading = parseLargeJson(bytesOf('{"a":[1e400]}'), maxValues, { at: '/given' });
    expect(told(() => [...reading])).toMatchObject({
      refusal: [422, expect.stringContaining('/given/a/0'), {}],
    });
  });
});
