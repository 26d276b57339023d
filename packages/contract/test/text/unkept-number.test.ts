import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { last } from '../../src/text/last.ts';
import {
  markUnkept,
  markUnkeptPieces,
  quoteUnkept,
  unkeptNumber,
  withoutSpace,
} from '../../src/text/unkept-number.ts';

describe('unkeptNumber', () => {
  it.each([
    '9007199254740992',
    '12345678901234568',
    '1234567890123456800',
    '1.0',
    '-0',
    '0e999',
    '1e2',
    '1.7976931348623157e308',
    '5e-324',
    '4.9406564584124654e-324',
    '123456789012345e200',
    '-9.9999999999999E-300',
    '2.2250738585072e-308',
    '0.30000000000000004',
    '0.10000000000000001',
    '100000000000000000000.000000000000000000',
    '0.1000000000000000000000000',
    '0.00000000000000000000000000001',
  ])('keeps %s', (number) => {
    expect(unkeptNumber(`[${number}]`, 'any')).toBeUndefined();
  });

  it.each(['9007199254740993', '1234567890123456789', '-12345678901234567', '1234567890123456768'])(
    'finds the integer %s',
    (number) => {
      expect(unkeptNumber(`{"id": ${number}}`, 'integers')).toBe(number);
      expect(unkeptNumber(number, 'any')).toBe(number);
    },
  );

  it.each(['1e999', '-1.8e308', '1'.repeat(310), `${'1'.repeat(300)}e99`])(
    'finds %s, which is infinite',
    (number) => {
      expect(unkeptNumber(`[0,${number}]`, 'integers')).toBe(number);
    },
  );

  it.each(['3.3333333333333333', '0.12345678901234567890', '1234567890.12345678', '1e-400', '1.2345e-320'])(
    'finds %s among fractions only',
    (number) => {
      expect(unkeptNumber(`[${number}]`, 'any')).toBe(number);
      expect(unkeptNumber(`[${number}]`, 'integers')).toBeUndefined();
    },
  );

  it.each([
    [1_023, undefined],
    [1_024, undefined],
    [1_025, 'it'],
    [100_000, 'it'],
  ])('keeps no number of more than 1,024 characters: %i', (length, found) => {
    const literal = '1.'.padEnd(length, '0');
    for (const among of ['any', 'integers'] as const)
      expect(unkeptNumber(`{"a":[${literal}]}`, among)).toBe(found && literal);
    expect(markUnkept(`[${literal}]`)).toBe(found && '[1e999]');
    for (const before of [0, 31_000, 32_000, 32_760]) {
      const text = `[${' '.repeat(before)}${literal}]`;
      expect(last(markUnkeptPieces(text))).toBe(markUnkept(text));
    }
  });

  it('does not look into strings', () => {
    const text = String.raw`{"1234567890123456789":"1e999 \" 1234567890123456789 \\","a":"\\\"1e999"}`;
    JSON.parse(text);
    expect(unkeptNumber(text, 'any')).toBeUndefined();
    expect(unkeptNumber(`[${text},1e999]`, 'any')).toBe('1e999');
  });

  it('keeps each number that JavaScript writes', () => {
    let bits = 0x9e3779b97f4a7c15n;
    const view = new DataView(new ArrayBuffer(8));
    const written: number[] = [];
    for (let i = 0; i < 5_000; i++) {
      bits = (bits * 6364136223846793005n + 1442695040888963407n) & 0xffff_ffff_ffff_ffffn;
      view.setBigUint64(0, bits);
      const number = view.getFloat64(0);
      if (Number.isFinite(number)) written.push(number);
    }
    expect(written.length).toBeGreaterThan(4_900);
    expect(unkeptNumber(JSON.stringify(written), 'any')).toBeUndefined();
  });

  it('reads no number that is too long, and others in time that grows as their length does', () => {
    const literal = `0.1${'0'.repeat(1_000_000)}1`;
    const padded = `[${Array.from({ length: 1_000 }, () => `1.5${'0'.repeat(1_000)}`).join()}]`;
    const startMs = cpuMs();
    expect(unkeptNumber(`[${literal}]`, 'any')).toBe(literal);
    expect(unkeptNumber(`[${literal}]`, 'integers')).toBe(literal);
    expect(unkeptNumber(padded, 'any')).toBeUndefined();
    // Minutes where each zero is a beginning.
    expect(cpuMs() - startMs).toBeLessThan(2_000);
  });

  it('reads a text however deep it is', () => {
    const depth = 100_000;
    expect(unkeptNumber(`${'['.repeat(depth)}1e999${']'.repeat(depth)}`, 'any')).toBe('1e999');
  });
});

describe('markUnkept', () => {
  it('makes infinite what would be another whole number, and nothing else, whatever stands around it', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), number), { maxLength: 8 }), fc.nat(40), (members, space) => {
        const parts = members.map(([name, text]) => `[${JSON.stringify(name)},${' '.repeat(space)}${text}]`);
        const text = `[${parts.join(',')}]`;
        const marked = markUnkept(text);
        expect(inPieces(text)).toBe(marked);
        const read = JSON.parse(marked ?? text) as (readonly [string, number])[];
        for (const [i, [name, literal]] of members.entries())
          expect(read[i], literal).toEqual([
            name,
            isChanged(literal) ? Number(`${literal.startsWith('-') ? '-' : ''}1e999`) : Number(literal),
          ]);
        const quoted = JSON.parse(quoteUnkept(text)) as (readonly [string, number | string])[];
        for (const [i, [, literal]] of members.entries())
          expect(quoted[i]?.[1]).toBe(isChanged(literal) ? literal : Number(literal));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['[1,"1234567890123456789"]', '[0.30000000000000004,1.2345678901234567e20]', '[', ''])(
    'leaves alone what needs no mark: %s',
    (text) => {
      expect(markUnkept(text)).toBeUndefined();
      expect(inPieces(text)).toBeUndefined();
      expect(quoteUnkept(text)).toBe(text);
    },
  );

  it('looks through a long text in pieces, wherever a number stands, in time that grows as its length does', () => {
    const mebibyte = 1_048_576;
    for (const before of [
      '1,',
      '0.30000000000000004,',
      `"${'x'.repeat(90)}",`,
      ' ',
      '123456789012345,',
      '[],',
    ]) {
      const text = `[${before.repeat(Math.ceil(mebibyte / before.length))}1234567890123456789]`;
      const pauses = piecesOf(text);
      expect(pauses.value?.endsWith('1e999]'), before).toBe(true);
      expect(Math.max(...pauses.ms), before).toBeLessThan(200);
      expect(pauses.ms.length, before).toBeGreaterThan(10);
    }
    for (const unit of ['1', '1e', '.1', '""', `""${' '.repeat(40_000)}`]) {
      const startedMs = cpuMs();
      piecesOf(unit.repeat((8 * mebibyte) / unit.length));
      expect(cpuMs() - startedMs, unit).toBeLessThan(3_000);
    }
  });

  it.each([
    '[01234567890123456789]',
    '[--1234567890123456789]',
    '["1234567890123456789',
    '[1234567890123456789.]',
    `[0.${'0'.repeat(700)}-1234567890123456789]`,
    '[-01234567890123456789]',
    '[1.5-1234567890123456789]',
    '[1234567890123456789-1234567890123456789]',
  ])('makes no JSON of what is none: %s', (text) => {
    expect(() => JSON.parse(markUnkept(text) ?? text)).toThrow(SyntaxError);
  });
});

/** Digits, points and exponents in the forms that JSON has, many of them around what is kept. */
const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(
      fc.bigInt({ min: 0n, max: 10n ** 25n }).map(String),
      fc.constantFrom('9007199254740993', '9007199254740992', '0', '9'.repeat(308), '1'.repeat(310)),
    ),
    fc.oneof(
      fc.constant(''),
      fc.bigInt({ min: 0n, max: 10n ** 20n }).map((digits) => `.${digits}`),
    ),
    fc.oneof(
      fc.constant(''),
      fc
        .tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.integer({ min: 0, max: 330 }))
        .map((all) => all.join('')),
    ),
  )
  .map((parts) => parts.join(''));

/** Whether a number is whole, and neither the double that it is read as nor one of the ways to write that with up to 17 digits. */
function isChanged(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return true;
  const whole = wholeOf(literal);
  if (whole === undefined || whole === BigInt(value)) return false;
  return ![String(value), value.toPrecision(17), value.toPrecision(16)].some(
    (text) => wholeOf(text) === whole,
  );
}

/** Undefined for a fraction. */
function wholeOf(literal: string): bigint | undefined {
  const [, sign, digits = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(literal) ?? [];
  const shift = Number(power) - fraction.length;
  const all = BigInt(digits + fraction) * (sign ? -1n : 1n);
  if (shift >= 0) return all * 10n ** BigInt(shift);
  return all % 10n ** BigInt(-shift) === 0n ? all / 10n ** BigInt(-shift) : undefined;
}

function inPieces(text: string): string | undefined {
  return piecesOf(text).value;
}

/** Time of the processor: others have theirs in any measured time. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function piecesOf(text: string): { readonly value: string | undefined; readonly ms: readonly number[] } {
  const pieces = markUnkeptPieces(text);
  const ms: number[] = [];
  for (;;) {
    const startedMs = cpuMs();
    const { done, value } = pieces.next();
    ms.push(cpuMs() - startedMs);
    if (done) return { value, ms };
  }
}

describe('withoutSpace', () => {
  it('leaves strings and numbers as they are', () => {
    const text = String.raw`{ "a b" : [ 1.50 ,	1e999 , "\" \\" ],
 "c\\":"d e" }`;
    expect(withoutSpace(text)).toBe(String.raw`{"a b":[1.50,1e999,"\" \\"],"c\\":"d e"}`);
    expect(withoutSpace(' 1 ')).toBe('1');
  });
});
