import { describe, expect, it } from 'vitest';
import { unkeptNumber, withoutSpace } from '../../src/tools/index.ts';

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

  it('reads a number however long it is, in time that grows as its length does', () => {
    const literal = `0.1${'0'.repeat(1_000_000)}1`;
    const startMs = performance.now();
    expect(unkeptNumber(`[${literal}]`, 'any')).toBe(literal);
    expect(unkeptNumber(`[${literal}]`, 'integers')).toBeUndefined();
    expect(unkeptNumber(`[1.5${'0'.repeat(1_000_000)}]`, 'any')).toBeUndefined();
    // Minutes where each zero is a beginning.
    expect(performance.now() - startMs).toBeLessThan(2_000);
  });

  it('reads a text however deep it is', () => {
    const depth = 100_000;
    expect(unkeptNumber(`${'['.repeat(depth)}1e999${']'.repeat(depth)}`, 'any')).toBe('1e999');
  });
});

describe('withoutSpace', () => {
  it('leaves strings and numbers as they are', () => {
    const text = String.raw`{ "a b" : [ 1.50 ,	1e999 , "\" \\" ],
 "c\\":"d e" }`;
    expect(withoutSpace(text)).toBe(String.raw`{"a b":[1.50,1e999,"\" \\"],"c\\":"d e"}`);
    expect(withoutSpace(' 1 ')).toBe('1');
  });
});
