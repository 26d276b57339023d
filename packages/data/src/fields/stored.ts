import type { HTTPError, Json } from '@waymark/contract';
import { invalidInput } from '@waymark/contract/route';
import { unkeptNumber } from '@waymark/contract/text';
import { type SqlResult, type SqlValue, UnkeptNumberError } from '../database/sql-result.ts';
import type { Field } from './field.ts';

/**
 * A value as it is bound. JSON becomes its text.
 *
 * @throws {HTTPError} 422 an integer beyond 2^53 - 1: JSON rounds those, so it would be another one
 */
export function toStored({ name, kind, nullable, column }: Field, value: unknown): unknown {
  if (value === undefined) return null;
  if (column?.encode) return value === null ? null : column.encode(value);
  if (value === null) return kind === 'json' && !nullable ? 'null' : null;
  if (kind === 'json') return JSON.stringify(value);
  if (kind === 'integer') checkInteger(name, value);
  return value;
}

/** @throws {HTTPError} 422 an integer beyond 2^53 - 1 */
export function checkInteger(name: string, value: unknown): void {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return;
  throw refused(`/${name}`, 'must be an integer between -(2^53 - 1) and 2^53 - 1');
}

/** A 422 for one value, in the form that validation has. */
export function refused(path: string, message: string): HTTPError {
  return invalidInput([{ path, message }]);
}

/** A value as it is answered; bytes are base64. @throws {UnkeptNumberError} */
function fromStored({ name, kind, column }: Pick<Field, 'name' | 'kind' | 'column'>, value: SqlValue): Json {
  if (column?.decode && value !== null) return column.decode(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (kind === 'boolean' && typeof value === 'number') return value !== 0;
  if (kind === 'json' && typeof value === 'string') return fromText(name, value);
  return typeof value === 'bigint' ? value.toString() : value;
}

/** What another program has written may hold a number that would be rounded. */
function fromText(name: string, text: string): Json {
  const unkept = unkeptNumber(text, 'integers');
  if (unkept !== undefined)
    throw new UnkeptNumberError(name, Number.isFinite(Number(unkept)) ? 'integer' : 'infinite');
  return JSON.parse(text) as Json;
}

/** The rows of a result whose columns are these fields, in this order. */
export function toRows(
  fields: readonly Pick<Field, 'name' | 'kind' | 'column'>[],
  { rows }: SqlResult,
): readonly Row[] {
  return rows.map((row) => {
    const record: Record<string, Json> = {};
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i];
      if (field) record[field.name] = fromStored(field, row[i] ?? null);
    }
    return record;
  });
}

/** One row as it is answered. */
export type Row = Readonly<Record<string, Json>>;
