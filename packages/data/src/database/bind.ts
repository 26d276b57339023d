import { HTTPError, type Values } from '@waymark/contract';
import type { SqlText } from './sql-text.ts';

/** A value as the driver takes it. Integers are bigint: a number would be stored as REAL. */
export type BoundValue = null | string | number | bigint | Uint8Array;

/** Values of the placeholders of a statement: a list by position, or an object by name without `:` or `@`. */
export type Arguments = readonly unknown[] | Values;

/** Error of values that cannot be bound to a statement: too few, too many, or of a type that SQL cannot store. */
export class BindError extends Error {
  override readonly name = 'BindError';
}

const smallestInteger = -(2n ** 63n);
const greatestInteger = 2n ** 63n - 1n;

/**
 * One value for the driver: booleans are 1 and 0, whole numbers are integers, undefined is NULL, bytes are those there are now.
 *
 * The driver ends the process when it is given a boolean, and takes NaN, dates and objects for something else.
 *
 * @throws {BindError} anything SQLite has no type for
 * @throws {HTTPError} 422 text with a null character, or with half of a surrogate pair
 */
export function bind(value: unknown): BoundValue {
  switch (typeof value) {
    case 'string':
      // It would be stored whole, and read up to there.
      if (value.includes('\0')) throw new HTTPError(422, 'text with a null character cannot be stored');
      // It would be stored as another text, and two keys could become one.
      if (!value.isWellFormed()) throw new HTTPError(422, 'text with half a surrogate pair cannot be stored');
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new BindError(`${value} cannot be stored`);
      return Number.isSafeInteger(value) ? BigInt(value) : value;
    case 'boolean':
      return value ? 1n : 0n;
    case 'bigint':
      if (value < smallestInteger || value > greatestInteger)
        throw new BindError('an integer of more than 64 bits cannot be stored');
      return value;
    case 'undefined':
      return null;
    default:
      if (value === null) return null;
      if (value instanceof Uint8Array || value instanceof ArrayBuffer) return copyOf(value);
      throw new BindError(`${nameOf(value)} cannot be stored; give text, a number or bytes`);
  }
}

/** A write waits for its turn, and whoever asked for it may fill its buffer anew by then, or give it away. */
function copyOf(value: Uint8Array | ArrayBuffer): Uint8Array {
  const { detached } = value instanceof ArrayBuffer ? value : (value.buffer as ArrayBuffer);
  if (detached) throw new BindError('bytes that were given away cannot be stored');
  return value instanceof ArrayBuffer ? new Uint8Array(value.slice(0)) : new Uint8Array(value);
}

/**
 * The values of a statement in the order of its parameters.
 *
 * @throws {BindError} one too few, one too many, or one that `bind` refuses
 */
export function bindAll({ parameters }: SqlText, args: Arguments = []): BoundValue[] {
  if (isPositional(args)) {
    if (args.length !== parameters.length)
      throw new BindError(`the statement takes ${parameters.length} values, not ${args.length}`);
    return args.map(bind);
  }
  const values = parameters.map((name) => {
    if (name === undefined) throw new BindError('the statement takes values by position');
    if (!Object.hasOwn(args, name)) throw new BindError(`the value of "${name}" is missing`);
    return bind(args[name]);
  });
  // None is missing, and a statement has each once: as many are the same.
  const names = Object.keys(args);
  if (names.length === parameters.length) return values;
  const surplus = names.find((name) => !parameters.includes(name));
  if (surplus !== undefined) throw new BindError(`the statement has no parameter "${surplus}"`);
  return values;
}

function isPositional(args: Arguments): args is readonly unknown[] {
  return Array.isArray(args);
}

function nameOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  return value instanceof Date ? 'a Date' : `a value of type ${typeof value}`;
}
