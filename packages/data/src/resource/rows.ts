import type { RouteRequest } from '@waymark/contract';
import { HTTPError, type Values } from '@waymark/contract';
import { jsonResponse, RouteResponse } from '@waymark/contract/engine';
import { matchesETag } from '@waymark/contract/http';
import { cutText } from '@waymark/contract/schema';
import type { Change } from '../change.ts';
import type { SqlResult } from '../database/sql-result.ts';
import type { Statement } from '../database/sql-transaction.ts';
import { type Row, refused, toRows, toStored } from '../fields/stored.ts';
import { columnOf, type Filling, type RowTable } from './row-table.ts';
import { toRowTag } from './row-tag.ts';
import type { TableRules } from './table-rules.ts';

/** The statement that reads the row of a key. */
export function selectRow({ selectOne, key }: RowTable, value: unknown): Statement {
  return { sql: selectOne, args: [toStored(key, value)], rows: 'first' };
}

/** The statement that stores a new row, of what was given; the rest is the table's to fill. */
export function insertRow(rowTable: RowTable, input: Values): Statement {
  const { table, columns, onInsert } = rowTable;
  const { names, marks, args } = given(rowTable, input, onInsert);
  const values = names.length === 0 ? 'default values' : `(${names.join(', ')}) values (${marks.join(', ')})`;
  return { sql: `insert into ${table} ${values} returning ${columns}`, args };
}

/** What reads a new row where it stands; undefined where nothing says which it is. */
function selectInserted(rowTable: RowTable, input: Values, rowid: string | undefined): Statement | undefined {
  const { columns, table, key } = rowTable;
  // By its number it is found even if a trigger has changed its key.
  if (rowid !== undefined)
    return { sql: `select ${columns} from ${table} where ${rowid} = last_insert_rowid()`, rows: 'first' };
  return Object.hasOwn(input, key.name) ? selectRow(rowTable, input[key.name]) : undefined;
}

/** @throws {HTTPError} 422 for a value of what the database computes */
function refuseComputed({ fields }: RowTable, { computed }: TableRules, input: Values): void {
  if (computed.size === 0) return;
  for (const { name, column } of fields)
    if (Object.hasOwn(input, name) && computed.has((column?.name ?? name).toLowerCase()))
      throw refused(`/${name}`, 'is computed by the database');
}

/** Stores a new row, and reads what stands then where the table has rules of its own. @throws {HTTPError} 422 */
export function insertStatements(rowTable: RowTable, rules: TableRules, input: Values): readonly Statement[] {
  const { interferes, rowid } = rules;
  refuseComputed(rowTable, rules, input);
  const insert = insertRow(rowTable, input);
  const standing = interferes ? selectInserted(rowTable, input, rowid) : undefined;
  return standing ? [insert, standing] : [insert];
}

/** Changes what was given, and reads what stands then where the table has rules of its own. @throws {HTTPError} 422 */
export function updateStatements(
  rowTable: RowTable,
  rules: TableRules,
  id: unknown,
  input: Values,
): readonly Statement[] {
  refuseComputed(rowTable, rules, input);
  return changeStatements(rowTable, rules, id, updateRow(rowTable, input));
}

/** Changes what was given, or takes the row away, and reads what stands then where the table has rules of its own. */
export function changeStatements(
  rowTable: RowTable,
  { interferes }: TableRules,
  id: unknown,
  change: Statement,
): readonly Statement[] {
  return interferes ? [change, selectRow(rowTable, id)] : [change];
}

/** The statement that changes what was given, or only reads where nothing was. */
export function updateRow(rowTable: RowTable, input: Values): Statement {
  const { table, columns, key, fields, onUpdate } = rowTable;
  const { [key.name]: id, ...changes } = input;
  if (!fields.some(({ name }) => Object.hasOwn(changes, name))) return selectRow(rowTable, id);
  const { names, marks, args } = given(rowTable, changes, onUpdate);
  return {
    sql: `update ${table} set ${names.map((name, i) => `${name} = ${marks[i]}`).join(', ')} where ${columnOf(key)} = ? returning ${columns}`,
    args: [...args, toStored(key, id)],
  };
}

/** The statement that takes a row away. */
export function deleteRow({ table, key }: RowTable, value: unknown): Statement {
  return { sql: `delete from ${table} where ${columnOf(key)} = ?`, args: [toStored(key, value)] };
}

/** The columns of a statement, what stands for their values, and the values. */
interface Given {
  readonly names: readonly string[];
  readonly marks: readonly string[];
  readonly args: readonly unknown[];
}

function given({ fields }: RowTable, input: Values, fillings: readonly Filling[]): Given {
  const present = fields.filter(({ name }) => Object.hasOwn(input, name));
  const names = present.map(columnOf);
  const marks = present.map(({ column }) => column?.write ?? '?');
  const args = present.map((field) => toStored(field, input[field.name]));
  for (const { name, column, fill } of fillings) {
    if (Object.hasOwn(input, name)) continue;
    const filled = fill();
    names.push(column);
    marks.push(filled.sql);
    args.push(...filled.args);
  }
  return { names, marks, args };
}

/** One row with its tag. @throws {HTTPError} 404 */
export function rowResponse(
  rowTable: RowTable,
  id: unknown,
  result: SqlResult | undefined,
  status = 200,
  headersOf: (row: Row) => Readonly<Record<string, string>> = () => ({}),
): RouteResponse {
  const [row] = result ? toRows(rowTable.fields, result) : [];
  if (!row) throw noRow(rowTable, id);
  const text = JSON.stringify(row);
  return new RouteResponse(status, { kind: 'json', text }, { etag: toRowTag(text), ...headersOf(row) });
}

/**
 * What a write answers: the row as it stands, with its tag. Where its table took it away, the row as it was written: no
 * address leads to it, and no tag is its own.
 *
 * @param id undefined of a new row
 * @throws {HTTPError} 404 · 409 the table ignored the write
 */
export function writtenResponse(
  rowTable: RowTable,
  id: unknown,
  [written, standing]: readonly SqlResult[],
  status = 200,
  headersOf?: (row: Row) => Readonly<Record<string, string>>,
): RouteResponse {
  if (!written || written.rows.length === 0) throw noChange(rowTable, id, standing);
  if (standing?.rows.length !== 0) return rowResponse(rowTable, id, standing ?? written, status, headersOf);
  return jsonResponse(toRows(rowTable.fields, written)[0], status);
}

/** Why a write has changed nothing: there is no row of the key, or its table ignores the write. */
export function noChange(rowTable: RowTable, id: unknown, standing: SqlResult | undefined): HTTPError {
  const isThere = id === undefined || (standing?.rows.length ?? 0) > 0;
  return isThere ? new HTTPError(409, 'a rule of the table kept this from being done') : noRow(rowTable, id);
}

/** The answer where there is no row of a key. */
function noRow({ name, key }: RowTable, id: unknown): HTTPError {
  return new HTTPError(404, `${name} has no row with the ${key.name} ${cutText(JSON.stringify(id))}`);
}

/** Whoever takes a weak tag for the row's own would read it again, and fail again. */
function unmatched(ifMatch: string): string {
  const isWeak = /^\s*W\//.test(ifMatch);
  return isWeak
    ? 'a weak tag (W/) matches nothing in If-Match: send the tag as the row came with it'
    : 'the row has changed since it was read';
}

/**
 * The conditions of `If-Match` and `If-None-Match`, if there are any (RFC 9110, 13.2.2): the row is as it was when the
 * caller read it; it is none that the caller has. They are looked at in the transaction of the change, so that of two
 * callers who read the same row one is told.
 */
export function whereConditionsHold(
  rowTable: RowTable,
  id: unknown,
  { 'if-match': ifMatch, 'if-none-match': ifNoneMatch }: RouteRequest['headers'],
): Pick<Change, 'condition'> {
  if (ifMatch === undefined && ifNoneMatch === undefined) return {};
  return {
    async condition(transaction) {
      const { sql, args } = selectRow(rowTable, id);
      const [row] = toRows(rowTable.fields, await transaction.run(sql, args));
      // Without a row the change itself says so.
      if (!row) return;
      const tag = toRowTag(JSON.stringify(row));
      if (ifMatch !== undefined && !matchesETag(ifMatch, tag, 'strong'))
        throw new HTTPError(412, unmatched(ifMatch));
      if (ifNoneMatch !== undefined && matchesETag(ifNoneMatch, tag))
        throw new HTTPError(412, 'there is such a row');
    },
  };
}
