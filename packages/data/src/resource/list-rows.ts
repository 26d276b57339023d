import type { Values } from '@waymark/contract';
import { nearest } from '@waymark/contract/declaring';
import {
  type Awaitable,
  type EngineContext,
  jsonResponse,
  type RouteResponse,
} from '@waymark/contract/engine';
import { refuseInfinite } from '@waymark/contract/route';
import { markUnkept } from '@waymark/contract/text';
import { answerRead } from '../answer-read.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { Statement } from '../database/sql-transaction.ts';
import type { Field } from '../fields/field.ts';
import { type Row, refused, toRows, toStored } from '../fields/stored.ts';
import { columnOf, type RowTable } from './row-table.ts';

/** Rows of one list when nobody says how many. */
export const defaultLimit = 50;

/** Rows of one list at most. */
export const maxLimit = 200;

/** Answers a list: filtered, ordered, and with the address of the next part when there is one. */
export function listRows(
  rowTable: RowTable,
  database: SqlDatabase,
  context: Pick<EngineContext, 'input' | 'signal' | 'request'>,
): Awaitable<RouteResponse> {
  const { input } = context;
  const limit = Math.min(Number(input['limit']), maxLimit);
  const offset = Number(input['offset']);
  // One more than is shown says whether there is more.
  const statement = selectRows(rowTable, input, limit + 1, offset);
  return answerRead(database, context, statement, (result) => {
    const rows = result ? toRows(rowTable.fields, result) : [];
    return rows.length <= limit ? jsonResponse(rows) : toPart(rows, context, { limit, offset });
  });
}

/** The rows of one part, with the address of the next. */
function toPart(
  rows: readonly Row[],
  { request }: Pick<EngineContext, 'request'>,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): RouteResponse {
  const next = new URLSearchParams({
    ...sent(request.query),
    limit: `${limit}`,
    offset: `${offset + limit}`,
  });
  return jsonResponse(rows.slice(0, limit), 200, {
    link: `<${request.path}?${next.toString()}>; rel="next"`,
  });
}

/** What the caller asked with; none of it is a list, or it would have been refused. */
function sent(query: EngineContext['request']['query']): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
}

function selectRows(rowTable: RowTable, input: Values, limit: number, offset: number): Statement {
  const { columns, table, fields } = rowTable;
  const filters = fields.filter(({ name }) => Object.hasOwn(input, name));
  const where = filters.map((field) => `${columnOf(field)} is ${field.column?.write ?? '?'}`).join(' and ');
  return {
    sql: `select ${columns} from ${table}${where && ` where ${where}`} order by ${toOrder(rowTable, input['sort'])} limit ? offset ?`,
    args: [...filters.map((field) => toFilter(field, input[field.name])), limit, offset],
  };
}

/** JSON is compared as it is stored, in the shortest form. */
function toFilter(field: Field, value: unknown): unknown {
  if (field.kind !== 'json' || value === null) return toStored(field, value);
  const wanted = parse(field.name, String(value));
  refuseInfinite(wanted, `/${field.name}`);
  return toStored(field, wanted);
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(markUnkept(text) ?? text);
  } catch {
    throw refused(`/${name}`, 'must be JSON');
  }
}

/** `sort=field,-field`, then the primary key: without it, rows that are alike could come twice, or never. */
function toOrder({ fields, key }: RowTable, sort: unknown): string {
  const names = fields.map(({ name }) => name);
  const terms = typeof sort === 'string' ? sort.split(',') : [];
  const sorted = terms.map((term) => term.replace(/^-/, ''));
  for (const [i, name] of sorted.entries()) {
    if (!names.includes(name)) throw unknownSort(name, names);
    if (sorted.indexOf(name) < i) throw refused('/sort', `names ${JSON.stringify(name)} twice`);
  }
  const orders = terms.map((term, i) => {
    const field = fields.find(({ name }) => name === sorted[i]) ?? key;
    return term.startsWith('-') ? `${columnOf(field)} desc` : columnOf(field);
  });
  return [...orders, ...(sorted.includes(key.name) ? [] : [columnOf(key)])].join(', ');
}

function unknownSort(name: string, names: readonly string[]): Error {
  const close = nearest(name, names);
  const hint = close === undefined ? '' : ` (did you mean "${close}"?)`;
  return refused('/sort', `names ${JSON.stringify(name.slice(0, 64))}, which is no field${hint}`);
}
