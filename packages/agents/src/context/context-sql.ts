import { HTTPError } from '@waymark/contract';
import type { Database } from '@waymark/contract/engine';
import { principalParam } from './check-context.ts';
import type { ContextReading } from './context-reading.ts';
import { type ContextFault, fault } from './context-rules.ts';

/** Reads what a statement gives. @throws {HTTPError} 401 `@principal` of nobody · 422 values that do not fit */
export type ReadRows = (reading: ContextReading) => Promise<unknown>;

/** Rows that can be read, or what keeps them from it. */
export type PreparedSql =
  | { readonly ok: true; readonly read: ReadRows }
  | { readonly ok: false; readonly faults: readonly ContextFault[] };

/** Compares a statement with the database, and makes what reads its rows. */
export async function prepareSql(
  sql: string,
  { params, returns }: { readonly params: readonly string[]; readonly returns: 'many' | 'one' },
  database: Database,
): Promise<PreparedSql> {
  const checked = await database.check(sql);
  if (!checked.ok) return refused(`its SQL does not run: ${checked.problem}`, 'correct the SQL');
  if (!checked.reads) return refused('its SQL does not only read', 'write a SELECT');
  const { parameters } = checked;
  const faults = comparePlaceholders(parameters, params);
  if (faults.length > 0) return { ok: false, faults };
  const byPosition = isPositional(parameters);
  return {
    ok: true,
    async read(reading) {
      const bound = params.map((name) => [name.replace(/^@/, ''), bindValue(name, reading)] as const);
      const values = byPosition ? bound.map(([, value]) => value) : Object.fromEntries(bound);
      const rows = await database.many(sql, values, reading.signal);
      return returns === 'many' ? rows : (rows[0] ?? null);
    },
  };
}

function refused(rule: string, fix: string): PreparedSql {
  return { ok: false, faults: [fault('context-sql', rule, fix)] };
}

/** Placeholders are all `?`, or all have names. */
function isPositional(placeholders: readonly (string | undefined)[]): boolean {
  return placeholders.length > 0 && placeholders[0] === undefined;
}

function comparePlaceholders(
  placeholders: readonly (string | undefined)[],
  params: readonly string[],
): readonly ContextFault[] {
  if (isPositional(placeholders))
    return placeholders.length === params.length
      ? []
      : [misfit(`it has ${placeholders.length} placeholders and ${params.length} params`)];
  // Every sign before a name means the same to SQLite.
  const wanted = placeholders.map((name) => (`@${name}` === principalParam ? principalParam : (name ?? '')));
  return [
    ...wanted
      .filter((name) => !params.includes(name))
      .map((name) =>
        misfit(`its placeholder ${name === principalParam ? name : `:${name}`} is not among its params`),
      ),
    ...params
      .filter((name) => !wanted.includes(name))
      .map((name) => misfit(`its param "${name}" has no placeholder`)),
  ];
}

function misfit(rule: string): ContextFault {
  return fault('context-params', rule, 'give each placeholder its param, and each param its place');
}

function bindValue(name: string, { input, principal }: ContextReading): unknown {
  if (name === principalParam) {
    if (!principal.authenticated) throw new HTTPError(401, 'authentication is needed here');
    return principal.rootId;
  }
  // Own members only: a param may be called `constructor`.
  const value = Object.hasOwn(input, name) ? input[name] : null;
  // The functions of SQL take JSON as text.
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? null);
}
