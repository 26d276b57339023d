import { HTTPError } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../src/input/parse-json.ts';

const maxValues = 100_000;

function parse(text: string): unknown {
  return parseJson(new TextEncoder().encode(text), maxValues);
}

function refusal(read: () => unknown): readonly [number, string] | undefined {
  try {
    read();
  } catch (error) {
    if (error instanceof HTTPError) return [error.status, error.message];
    throw error;
  }
  return undefined;
}

const malformed = (place: string) => [400, `the body is not JSON: ${place}`];
const forbidden = [400, 'the body holds a "__proto__" or "constructor" key'];

const rule = 'must be a number that JavaScript keeps';

describe('parseJson', () => {
  it('reads whatever JSON writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'large' }), (value) => {
        fc.pre(!/"(?:__proto__|constructor)"/.test(JSON.stringify(value)));
        expect(parse(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('reads a part of a larger buffer', () => {
    const bytes = new TextEncoder().encode('xx{"a":1}xx');
    expect(parseJson(bytes.subarray(2, 9), maxValues)).toEqual({ a: 1 });
  });

  it.each([
    [63, undefined],
    [64, undefined],
    [65, [400, 'the body is nested deeper than 64 levels']],
    [500_000, [400, 'the body is nested deeper than 64 levels']],
  ])('takes 64 levels: %i', (depth, answer) => {
    expect(refusal(() => parse('['.repeat(depth) + ']'.repeat(depth)))).toEqual(answer);
    const objects = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    expect(refusal(() => parse(objects))).toEqual(answer);
  });

  it('counts levels, not brackets: those side by side and those in strings', () => {
    const wide = Array.from({ length: 200 }, () => [{}]);
    expect(parse(JSON.stringify(wide))).toEqual(wide);
    for (const text of [
      '['.repeat(100),
      `"${'['.repeat(100)}`,
      `\\"${'{'.repeat(100)}\\`,
      `${'\\'.repeat(7)}"[[`.repeat(40),
    ])
      expect(parse(JSON.stringify([text, { [text]: text }]))).toEqual([text, { [text]: text }]);
    expect(refusal(() => parse(`["\\\\",${'['.repeat(64)}${']'.repeat(64)}]`))).toEqual([
      400,
      'the body is nested deeper than 64 levels',
    ]);
  });

  it('counts the same levels as a parser, whatever strings hold', () => {
    const nested = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 70 },
        fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\') }),
        fc.array(tie('node'), { maxLength: 2 }),
      ),
    })).node;
    const depthOf = (value: unknown): number =>
      Array.isArray(value) ? 1 + Math.max(0, ...value.map(depthOf)) : 0;
    fc.assert(
      fc.property(nested, fc.integer({ min: 0, max: 70 }), (value, more) => {
        const text = '['.repeat(more) + JSON.stringify(value) + ']'.repeat(more);
        expect(refusal(() => parse(text)) === undefined).toBe(depthOf(value) + more <= 64);
      }),
    );
  });

  it('takes 100,000 values, each member and item counted, and refuses one more before it parses', () => {
    verifies('http.body.values');
    const tooMany = [413, 'the body holds more than 100000 values'];
    const list = (count: number) =>
      `[${Array(count - 1)
        .fill('0')
        .join(',')}]`;
    expect(refusal(() => parse(list(100_000)))).toBeUndefined();
    expect(refusal(() => parse(list(100_001)))).toEqual(tooMany);
    // It is no JSON, and nobody came to see.
    expect(refusal(() => parse(list(100_002).slice(0, -1)))).toEqual(tooMany);
    expect(parse(JSON.stringify([',[{'.repeat(200_000)]))).toHaveLength(1);
  });

  it('is soon done with what took seconds', () => {
    const members = Array.from({ length: 1_000_000 }, (_, i) => `"k${i}":1`).join(',');
    const text = 'x'.repeat(16 * 1_048_576);
    for (const body of [
      `{"input":"x",${members}}`,
      `{"images":[${'{},'.repeat(4_000_000)}{}]}`,
      `["${text}"]`,
      `["${text}`,
      `${'\n'.repeat(16 * 1_048_576)}x`,
    ]) {
      const bytes = new TextEncoder().encode(body);
      const before = process.cpuUsage();
      refusal(() => parseJson(bytes, maxValues));
      expect(process.cpuUsage(before).user / 1_000, body.slice(0, 10)).toBeLessThan(1_000);
    }
  });

  it.each([
    ['', 'it is empty'],
    [' ', 'it ends too early, at line 1, column 2'],
    ['{\n', 'it ends too early, at line 2, column 1'],
    ['[1,]', 'see line 1, column 4'],
    ["{'a':1}", 'see line 1, column 2'],
    ['undefined', 'see line 1, column 1'],
    ['NaN', 'see line 1, column 1'],
    ['{"a":1}\n {', 'see line 2, column 2'],
    ['"open', 'it ends too early, at line 1, column 6'],
    ['\u0000', 'see line 1, column 1'],
    ['01', 'see line 1, column 2'],
  ])('answers 400 to %j, and says where, not what', (text, place) => {
    verifies('http.status.400');
    expect(refusal(() => parse(text))).toEqual(malformed(place));
  });

  it('looks for the place within the first million characters', () => {
    const after = (blanks: number, rest: string): string => `[${' '.repeat(blanks)}${rest}`;
    const place = (text: string): string | undefined => refusal(() => parse(text))?.[1];
    expect(place(after(1_048_500, '?'))).toBe('the body is not JSON: see line 1, column 1048502');
    expect(place(after(1_048_573, 'true ?'))).toBe(
      'the body is not JSON: see behind its first 1048574 characters',
    );
    expect(place(after(3_000_000, '?'))).toBe(
      'the body is not JSON: see behind its first 1048576 characters',
    );
  });

  it('does not take a syntax error for something else because of a word in it', () => {
    expect(refusal(() => parse('{"prototype": }'))).toEqual(malformed('see line 1, column 15'));
    expect(refusal(() => parse('{"__proto__" }'))).toEqual(malformed('see line 1, column 14'));
  });

  it.each([
    '{"__proto__":{"polluted":1}}',
    '{"__proto__":null}',
    '{"a":[{"__proto__":1}]}',
    '{"\\u005f_proto__":1}',
    '{"__pr\\u006fto__" \n : 1}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '{"a":{"constructor":{"prototype":1}}}',
    '{"c\\u006fnstructor":{"pr\\u006ftotype":1}}',
  ])('refuses what could reach a prototype: %s', (text) => {
    verifies('http.body.prototype');
    expect(refusal(() => parse(text))).toEqual(forbidden);
    expect({}).not.toHaveProperty('polluted');
  });

  it.each([
    '{"a":{"x":[1,1e400]}}',
    '{"__proto":"\\u0031","a":{"x":[1,-1E+0400]}}',
    `{"a":{"x":[1,${'9'.repeat(309)}]}}`,
    '{"1234567890123456789":"1234567890123456789","a":{"x":[1,1234567890123456789]}}',
    '{"a":{"x":[1,-9007199254740993.0e0]},"b":1234567890123456789}',
    '\ufeff{"a":{"x":[1,9007199254740993]},"constructor":"Bob"}',
  ])('refuses numbers that it would read as others: %s', (text) => {
    verifies('http.body.numbers');
    expect(refusal(() => parse(text))).toEqual([422, expect.stringContaining(`/a/x/1 ${rule}`)]);
    const kept = text.replace(/(?<=\[1,)[^\]]*/, '1.7976931348623157e308').replace(/\d{19}}$/, '1}');
    expect(parse(kept)).toMatchObject({ a: { x: [1, Number.MAX_VALUE] } });
  });

  it.each([
    '{"constructor":"Bob the builder"}',
    '{"constructor":{"name":"Bob"}}',
    '{"prototype":1}',
    '["__proto__"]',
    '{"a":"__proto__\\":"}',
  ])('takes the same words where they are harmless: %s', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['a lone byte', [0x22, 0xff, 0x22]],
    ['a cut sequence', [0x22, 0xc3, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('refuses what is not UTF-8: %s', (_, bytes) => {
    verifies('http.body.utf-8');
    expect(refusal(() => parseJson(Uint8Array.from(bytes), maxValues))).toEqual([
      400,
      'the body is not UTF-8',
    ]);
  });

  it('ignores a byte order mark', () => {
    expect(parse('\ufeff{"a":1}')).toEqual({ a: 1 });
  });

  it('takes time in proportion to the body', () => {
    const mebibyte = 1_048_576;
    // Of the processor: others may have it meanwhile.
    const tookMs = (work: () => unknown): number => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    for (const unit of ['"', '\\', '\\"', '[', '{"', '"__proto__"', '"__proto__" ', ' ']) {
      const units = unit.repeat(mebibyte / unit.length);
      const both = (): unknown => [refusal(() => parse(units)), refusal(() => parse(`["${units}`))];
      expect(tookMs(both), unit).toBeLessThan(1_000);
    }
    const spaces = `{"__proto__"${' '.repeat(mebibyte)}`;
    expect(tookMs(() => expect(refusal(() => parse(`${spaces}:1}`))).toEqual(forbidden))).toBeLessThan(1_000);
  });
});
