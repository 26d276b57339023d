import { rebuild } from './json-schema.ts';
import { mapSchemas } from './map-schemas.ts';
import type { SchemaObject } from './references.ts';

/**
 * A schema whose `multipleOf` is asked of numbers as they are written: 1234567.89 is a multiple of 0.01, which it is not as
 * the binary fraction that stands for it, and 1e-20 is none. The validator allows for a difference of 1e-10, whatever the
 * size of the number. A schema without the keyword is returned as it is.
 */
export function withExactMultiples(schema: object): object {
  return mapSchemas(schema as SchemaObject, (node) => {
    const { multipleOf: step } = node;
    if (typeof step !== 'number' || !(step > 0) || step === Number.POSITIVE_INFINITY) return node;
    const isMultiple = multiplesOf(step);
    const refinement = {
      check: (value: unknown) => typeof value !== 'number' || isMultiple(value),
      error: () => `must be multiple of ${step}`,
    };
    const others = Object.entries(node).filter(([keyword]) => keyword !== 'multipleOf');
    const refinements = (node['~refine'] ?? []) as readonly unknown[];
    return rebuild(node, [...others, ['~refine', [...refinements, refinement]]]) as SchemaObject;
  });
}

/** Every decimal of 15 digits is the shortest text of the number that it is read as. */
const exactBelow = 1e15;
/** The largest power of ten that is a number, and not only near to one. */
const exactPlaces = 22;

/** Says of numbers whether they are multiples, by their shortest texts: the decimals that were written. */
function multiplesOf(step: number): (value: number) => boolean {
  const unit = toDecimal(step);
  const places = Math.max(0, -unit.exponent);
  const scale = 10 ** places;
  const units = Math.round(step * scale);
  const isQuick = places <= exactPlaces && units < exactBelow;
  return (value) => {
    const scaled = Math.round(value * scale);
    if (isQuick && Math.abs(scaled) < exactBelow) return scaled / scale === value && scaled % units === 0;
    return Number.isFinite(value) && divides(unit, toDecimal(value));
  };
}

/** `digits` times ten to the `exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function toDecimal(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

function divides(unit: Decimal, { digits, exponent }: Decimal): boolean {
  const shift = exponent - unit.exponent;
  return shift >= 0
    ? (digits * 10n ** BigInt(shift)) % unit.digits === 0n
    : digits % (unit.digits * 10n ** BigInt(-shift)) === 0n;
}
