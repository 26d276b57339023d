import { validateValue } from '@waymark/contract/schema';
import { byTier } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema } from '../src/input/validator.ts';

const numRuns = byTier({ quick: 200, slow: 1_000, drill: 20_000 });

/** Whether a number is a multiple, by all that is asked: the check, its explanation and `validateValue` must say the same. */
function judge(multipleOf: number): (value: number) => boolean {
  const schema = { type: 'number', multipleOf };
  const validator = compileSchema(schema);
  const refusal = [{ path: '', message: `must be multiple of ${multipleOf}` }];
  return (value) => {
    const holds = validator.check(value);
    expect(validateValue(schema, value)).toEqual(holds ? [] : refusal);
    if (!holds) expect(validator.errors(value)).toEqual(refusal);
    return holds;
  };
}

/** The number that is read where somebody wrote so many units of a place behind the point. */
const written = (units: bigint, places: number): number => Number(`${units}e-${places}`);

const digits = fc.bigInt({ min: 0n, max: 10n ** 13n });
const sign = fc.constantFrom(1n, -1n);

describe('a multiple of 0.01', () => {
  const isMultiple = judge(0.01);

  it('is every amount of cents, and none that is off by tenths of one', () => {
    fc.assert(
      fc.property(digits, sign, fc.bigInt({ min: 1n, max: 9n }), (cents, side, tenths) => {
        expect(isMultiple(written(side * cents, 2))).toBe(true);
        expect(isMultiple(written(side * cents * 100n, 2))).toBe(true);
        expect(isMultiple(written(side * (cents * 10n + tenths), 3))).toBe(false);
      }),
      { numRuns },
    );
  });

  it.each([1234567.89, 0, -0, 0.1, -5.55, 1e15, 1e21, 1e300, 90071992547409.92, Number.MAX_SAFE_INTEGER])(
    'is %d',
    (value) => expect(isMultiple(value)).toBe(true),
  );

  it.each([1e-20, 5e-324, 0.010000000001, 100.001, 1000000.0001, 0.1 + 0.2, 9007199254740.992])(
    'is not %d',
    (value) => expect(isMultiple(value)).toBe(false),
  );
});

it('a multiple is told by the decimals that were written, of any size', () => {
  const places = fc.integer({ min: 0, max: 30 });
  const unit = fc.oneof(fc.bigInt({ min: 1n, max: 60n }), fc.bigInt({ min: 1n, max: 10n ** 15n - 1n }));
  const factor = fc.oneof(fc.constant(undefined), fc.bigInt({ min: 0n, max: 1000n }));
  fc.assert(
    fc.property(unit, places, digits, places, factor, (step, stepPlaces, drawn, drawnPlaces, times) => {
      // What is drawn apart is seldom a multiple.
      const [units, unitPlaces] =
        times !== undefined && step * times < 10n ** 15n ? [step * times, stepPlaces] : [drawn, drawnPlaces];
      const scaled = units * 10n ** BigInt(60 - unitPlaces);
      const expected = scaled % (step * 10n ** BigInt(60 - stepPlaces)) === 0n;
      expect(judge(written(step, stepPlaces))(written(units, unitPlaces))).toBe(expected);
    }),
    { numRuns },
  );
});

it.each([
  ['in a reference', { $ref: '#/$defs/m', $defs: { m: { multipleOf: 0.1 } } }, 0.3, 0.35],
  ['in a choice', { anyOf: [{ type: 'string' }, { type: 'number', multipleOf: 0.1 }] }, 0.3, 0.35],
  ['beside texts', { multipleOf: 0.1, pattern: '^a', maxLength: 9 }, 'a', 0.35],
  [
    'beside no other type',
    { type: ['string', 'number'], multipleOf: 0.1, pattern: '^a', maxLength: 9 },
    0.3,
    'b',
  ],
  [
    'as the name of a property',
    { type: 'object', properties: { multipleOf: { type: 'integer' } } },
    { multipleOf: 3 },
    { multipleOf: 0.5 },
  ],
  ['in a value', { const: { multipleOf: 0.1 } }, { multipleOf: 0.1 }, 0.1],
])('multipleOf %s is asked of what it is about', (_, schema, valid, invalid) => {
  const validator = compileSchema(schema);
  expect([validator.check(valid), validator.check(invalid)]).toEqual([true, false]);
  expect(validateValue(schema, valid)).toEqual([]);
  expect(validateValue(schema, invalid)).not.toEqual([]);
  expect(validator.errors(invalid)).not.toEqual([]);
});
