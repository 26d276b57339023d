import { HTTPError, type Values } from '@waymark/contract';
import type { Database, EngineContext } from '@waymark/contract/engine';
import type { PageFault } from '../page-rules.ts';
import { type BindParam, principalParam } from './page-params.ts';

/** The statement of a page. */
export interface PageSql {
  readonly sql: string;
  readonly params: ReadonlyMap<string, BindParam>;
  readonly returns: 'many' | 'one';
}

/** Reads what a page shows. @throws {HTTPError} 404 no row where one is wanted · 401 `@principal` of nobody */
export type LoadRows = (context: EngineContext) => Promise<unknown>;

/** Rows that can be read, or what keeps them from it. */
export type PreparedRows =
  | { readonly ok: true; readonly load: LoadRows }
  | { readonly ok: false; readonly faults: readonly PageFault[] };

/** Compares the statement of a page with the database, and makes what reads its rows. */
export async function prepareRows(
  { sql, params, returns }: PageSql,
  database: Database,
): Promise<PreparedRows> {
  const checked = await database.check(sql);
  if (!checked.ok) return refused('page-sql', `its SQL does not run: ${checked.problem}`, 'correct the SQL');
  if (!checked.reads)
    return refused('page-sql', 'its SQL does not only read', 'write a SELECT, and change rows with a query');
  const { parameters } = checked;
  const faults = comparePlaceholders(parameters, [...params.keys()]);
  if (faults.length > 0) return { ok: false, faults };
  const bind = toBinding(params, isPositional(parameters));
  return {
    ok: true,
    async load(context) {
      const rows = await database.many(sql, bind(context), context.signal);
      if (returns === 'many') return rows;
      const [row] = rows;
      if (!row) throw new HTTPError(404, 'there is no such row');
      return row;
    },
  };
}

function refused(code: PageFault['code'], rule: string, fix: string): PreparedRows {
  return { ok: false, faults: [{ code, rule, fix }] };
}

function comparePlaceholders(
  placeholders: readonly (string | undefined)[],
  names: readonly string[],
): readonly PageFault[] {
  if (isPositional(placeholders))
    return placeholders.length === names.length
      ? []
      : [misfit(`it has ${placeholders.length} placeholders and ${names.length} params`)];
  const wanted = placeholders.map((name) => toParam(name ?? ''));
  return [
    ...wanted
      .filter((name) => !names.includes(name))
      .map((name) =>
        misfit(`its placeholder ${name === principalParam ? name : `:${name}`} is not among its params`),
      ),
    ...names
      .filter((name) => !wanted.includes(name))
      .map((name) => misfit(`its param "${name}" has no placeholder`)),
  ];
}

/** Placeholders are all `?`, or all have names. */
function isPositional(placeholders: readonly (string | undefined)[]): boolean {
  return placeholders.length > 0 && placeholders[0] === undefined;
}

/** Every sign before a name means the same to SQLite. */
function toParam(placeholder: string): string {
  return `@${placeholder}` === principalParam ? principalParam : placeholder;
}

function misfit(rule: string): PageFault {
  return { code: 'page-params', rule, fix: 'give each placeholder its param, and each param its place' };
}

function toBinding(
  params: PageSql['params'],
  byPosition: boolean,
): (context: EngineContext) => Values | readonly unknown[] {
  const binds = [...params].map(([name, bind]) => [name.replace(/^@/, ''), bind] as const);
  return byPosition
    ? (context) => binds.map(([, bind]) => bind(context))
    : (context) => Object.fromEntries(binds.map(([name, bind]) => [name, bind(context)]));
}
