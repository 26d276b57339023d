import { refuseInfinite } from '@waymark/contract/route';
import type { Field } from '../fields/field.ts';
import { refused, toStored } from '../fields/stored.ts';
import { quote, type RowTable } from './row-table.ts';

/** A condition of SQL, and what its placeholders are. */
export interface Filter {
  readonly sql: string;
  readonly args: readonly unknown[];
}

/**
 * The condition that a field has a value.
 *
 * JSON is compared as it is stored, in the shortest form, and an object without the order of its members, which means
 * nothing (RFC 8259, 4).
 *
 * @throws {HTTPError} 422 no JSON, or a number that is none
 */
export function toFilter({ table }: RowTable, field: Field, value: unknown): Filter {
  const equal = `${quote(field.name)} is ?`;
  if (field.kind !== 'json' || value === null) return { sql: equal, args: [toStored(field, value)] };
  const wanted = parse(field.name, String(value));
  refuseInfinite(wanted, `/${field.name}`);
  const text = JSON.stringify(wanted);
  // Without two members of an object there is one order only, and an index may know its text.
  if (!text.includes('{') || !text.includes(',')) return { sql: equal, args: [toStored(field, wanted)] };
  const sql = `(${equal} or ${sameMembers(`${table}.${quote(field.name)}`)})`;
  return { sql, args: [text, text, text, text, text] };
}

/**
 * The members of both are the same, each with its place. Another order has the same length, so that few rows are taken
 * apart; what SQLite cannot read (text of other writers, more than 1,000 levels) is compared as text alone.
 */
function sameMembers(column: string): string {
  const members = (json: string) => `select fullkey, type, atom from json_tree(${json})`;
  return (
    `case when length(${column}) = length(?) and json_valid(${column}) and json_valid(?) ` +
    `then not exists (${members('?')} except ${members(column)}) ` +
    `and not exists (${members(column)} except ${members('?')}) else 0 end`
  );
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refused(`/${name}`, 'must be JSON');
  }
}
