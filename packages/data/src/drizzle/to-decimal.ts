import { refused } from '../fields/stored.ts';

const form = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

/** Digits that SQLite shows of a number with a fraction, and so keeps of what it was given. */
const keptDigits = 15;

const smallestInteger = -(2n ** 63n);
const greatestInteger = 2n ** 63n - 1n;

/**
 * What a numeric column keeps of a decimal number. Given the text, SQLite would round what it has no room for, and keep what
 * is no number as text.
 *
 * @throws {HTTPError} 422 it is no decimal number, or the column would make another one of it
 */
export function toDecimal(name: string, value: unknown): bigint | number {
  const text = String(value);
  const decimal = readDecimal(text);
  if (!decimal) throw refused(`/${name}`, 'must be a decimal number, as 12.5');
  const whole = toWhole(decimal);
  if (whole !== undefined) return whole;
  const number = Number(text);
  const kept = Number.isFinite(number) ? readDecimal(number.toPrecision(keptDigits)) : undefined;
  if (kept && isSame(kept, decimal)) return number;
  throw refused(
    `/${name}`,
    `must be a whole number of 64 bits, or have ${keptDigits} significant digits at most, between 1e-307 and 1e308`,
  );
}

/** A number as its significant digits and the power of ten that they count; zero has no digits. */
interface Decimal {
  readonly sign: '' | '-';
  readonly digits: string;
  readonly exponent: number;
}

function readDecimal(text: string): Decimal | undefined {
  const [match, sign = '', whole = '', fraction = '', exponent = '0'] = form.exec(text) ?? [];
  if (match === undefined) return undefined;
  const written = (whole + fraction).replace(/^0+/, '');
  const digits = withoutZeros(written);
  if (digits === '') return { sign: '', digits, exponent: 0 };
  return {
    ...{ sign: sign === '-' ? '-' : '', digits },
    exponent: Number(exponent) - fraction.length + written.length - digits.length,
  };
}

/** Without the zeros at its end. In a loop: a pattern would look for them from each zero on. */
function withoutZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

function toWhole({ sign, digits, exponent }: Decimal): bigint | undefined {
  if (digits === '') return 0n;
  // Of 64 bits there are 19 digits at most: of more nothing is counted out.
  if (exponent < 0 || digits.length + exponent > 19) return undefined;
  const whole = BigInt(sign + digits + '0'.repeat(exponent));
  return whole < smallestInteger || whole > greatestInteger ? undefined : whole;
}

function isSame(a: Decimal, b: Decimal): boolean {
  return a.sign === b.sign && a.digits === b.digits && a.exponent === b.exponent;
}
