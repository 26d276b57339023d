import { HTTPError } from '@waymark/contract';
import { type Engine, type EngineContext, jsonResponse, type RouteResponse } from '@waymark/contract/engine';
import { answerRead } from '../answer-read.ts';
import { commitChange } from '../change.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import { checkNames, type SqlResult } from '../database/sql-result.ts';
import type { SqlText } from '../database/sql-text.ts';
import type { FieldKind } from '../fields/field.ts';
import { type Row, toRows } from '../fields/stored.ts';
import type { InsertedRow } from './inserted-row.ts';
import type { returnForms } from './query.ts';
import type { BindValue } from './query-params.ts';

/** What a query does, once it is known to be well declared. */
export interface QueryPlan {
  readonly text: SqlText;
  readonly values: readonly BindValue[];
  readonly returns: (typeof returnForms)[number];
  readonly kinds: ReadonlyMap<string, FieldKind>;
  readonly inserted: InsertedRow;
}

/** Makes the engine of a query. What does not depend on the call is done here, once. */
export function toQueryEngine(plan: QueryPlan | undefined, database: SqlDatabase | undefined): Engine {
  if (!plan || !database) return { kind: 'query' };
  const { text, values } = plan;
  const rows = plan.returns === 'one' ? ({ rows: 'first' } as const) : {};
  const bound = (context: EngineContext) => ({ sql: text.sql, args: values.map((value) => value(context)) });
  if (text.kind === 'read')
    return {
      kind: 'query',
      answer: (context) =>
        answerRead(database, context, { ...bound(context), ...rows }, (result) => toAnswer(plan, result)),
    };
  const { inserted } = plan;
  const isCounted = plan.returns === 'affected';
  return {
    kind: 'query',
    durability: 'transaction',
    answer: (context) =>
      commitChange(database, context, {
        statements: isCounted ? inserted.around(bound(context)) : [bound(context)],
        answer: (results) => (isCounted ? countAnswer(inserted, results) : toAnswer(plan, results[0])),
      }),
  };
}

function toAnswer(plan: QueryPlan, result: SqlResult | undefined): RouteResponse {
  const rows = result ? rowsOf(plan, result) : [];
  if (plan.returns === 'many') return jsonResponse(rows);
  const [row] = rows;
  if (!row) throw new HTTPError(404, 'there is no such row');
  return jsonResponse(row);
}

function rowsOf({ kinds }: QueryPlan, result: SqlResult): readonly Row[] {
  checkNames(result.columns);
  // Without a declared row values are as SQL gives them.
  const fields = result.columns.map((name) => ({ name, kind: kinds.get(name) ?? ('string' as const) }));
  return toRows(fields, result);
}

function countAnswer(inserted: InsertedRow, results: readonly SqlResult[]): RouteResponse {
  const { affected, id } = inserted.read(results);
  return jsonResponse({ affected, last_insert_id: id });
}
