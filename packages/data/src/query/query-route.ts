import { type Route, Type, toRoute } from '@waymark/contract';
import { checkOptions, type Fault, isError, isOptions } from '@waymark/contract/declaring';
import type { SqlDatabase } from '../database/sql-database.ts';
import { toField, toRowSchema } from '../fields/field.ts';
import { checkReturns, checkRow } from './check-query.ts';
import { InsertedRow } from './inserted-row.ts';
import { type QueryDeclaration, type QueryOptions, returnForms } from './query.ts';
import { type QueryPlan, toQueryEngine } from './query-engine.ts';
import { readParams } from './query-params.ts';

/** The route of a declared query, and what is wrong with the declaration. */
export interface QueryRoute {
  readonly route: Route;
  readonly faults: readonly Fault[];
  /** What has to be known of the database before it answers. */
  look(database: Pick<SqlDatabase, 'many'>): Promise<void>;
}

/** Makes the route of a query. It answers nothing without a database, or when something is wrong with it. */
export function toQueryRoute(
  { options, declaredAt }: QueryDeclaration,
  database: SqlDatabase | undefined,
): QueryRoute {
  const { method, path, sql, given } = options;
  const { params, returns = 'many', row, ...routeOptions } = isOptions(given) ? given : ({} as QueryOptions);
  const { text, values, named, input, faults: paramFaults } = readParams(path, sql, params);
  const rowFaults = checkRow(row, returns);
  const faults = [
    ...(isOptions(given) ? [] : checkOptions(given, {})),
    ...checkOptions({ returns }, { returns: returnForms }),
    ...paramFaults,
    ...rowFaults,
    ...(text ? checkReturns(text, method, returns) : []),
  ];
  const fields =
    rowFaults.length > 0 ? [] : Object.entries(row ?? {}).map(([name, type]) => toField(name, type));
  const plan: QueryPlan | undefined = faults.some(isError)
    ? undefined
    : text && {
        ...{ text, values, returns, inserted: new InsertedRow(text) },
        kinds: new Map(fields.map(({ name, kind }) => [name, kind])),
      };
  const route = toRoute(method, path, toQueryEngine(plan, database), {
    // One process writes.
    ...(text?.kind === 'write' && { placement: 'owner' }),
    ...routeOptions,
    input,
    ...toOutput(returns, fields.length > 0 ? toRowSchema(fields) : undefined),
    facts: {
      ...(named && { named }),
      fails: [
        ...(named ? [401 as const] : []),
        ...(returns === 'one' ? [404 as const] : []),
        ...(text?.kind === 'write' ? [409 as const] : []),
      ],
    },
    declaredAt,
  });
  return {
    ...{ route, faults },
    async look(open) {
      if (returns === 'affected') await plan?.inserted.look(open);
    },
  };
}

function toOutput(returns: string, row: object | undefined): { readonly output?: object } {
  if (returns === 'affected') return { output: affectedSchema };
  // Rows that nobody described are still rows.
  const one = row ?? { type: 'object' };
  return { output: returns === 'one' ? one : Type.Array(one) };
}

const affectedSchema = Type.Object({
  affected: Type.Integer(),
  last_insert_id: Type.Union([Type.Integer(), Type.Null()]),
});
