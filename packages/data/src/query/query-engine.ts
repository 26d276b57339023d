import { HTTPError } from '@waymark/contract';
import { type Engine, type EngineContext, jsonResponse, type RouteResponse } from '@waymark/contract/engine';
import { answerRead } from '../answer-read.ts';
import { commitChange } from '../change.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import { checkNames, type SqlResult } from '../database/sql-result.ts';
import type { SqlText } from '../database/sql-text.ts';
import type { FieldKind } from '../fields/field.ts';
import { type Row, toRows } from '../fields/stored.ts';
import type { returnForms } from './query.ts';
import type { BindValue } from './query-params.ts';

/** What a query does, once it is known to be well declared. */
export interface QueryPlan {
  readonly text: SqlText;
  readonly values: readonly BindValue[];
  readonly returns: (typeof returnForms)[number];
  readonly kinds: ReadonlyMap<string, FieldKind>;
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
  return {
    kind: 'query',
    durability: 'transaction',
    answer: (context) =>
      commitChange(database, context, {
        statement: bound(context),
        answer: (result) => toAnswer(plan, result),
      }),
  };
}

function toAnswer(plan: QueryPlan, result: SqlResult | undefined): RouteResponse {
  if (plan.returns === 'affected') return jsonResponse(toAffected(plan.text, result));
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

/** SQLite goes on naming the row inserted last, whoever inserted it: only an INSERT that inserted speaks of its own. */
function toAffected({ sql, verb }: SqlText, result: SqlResult | undefined): Row {
  const { affected = 0, lastInsertId = null } = result ?? {};
  const inserted = affected > 0 && (verb === 'INSERT' || verb === 'REPLACE') && !/\bdo\s+update\b/i.test(sql);
  return { affected, last_insert_id: inserted && lastInsertId !== null ? Number(lastInsertId) : null };
}
