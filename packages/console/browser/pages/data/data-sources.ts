import type { ControlRoutesListOutputRoutesItem as RouteRow } from '../../client/control.ts';

/** Somewhere where the application keeps something that its own routes read. */
export type DataSource =
  | {
      readonly kind: 'resource';
      readonly name: string;
      /** Of the list. */
      readonly path: string;
      readonly scopes: readonly string[];
      /** What names a row. */
      readonly key: string;
      /** What the list can be filtered and sorted by. */
      readonly fields: readonly string[];
    }
  | {
      readonly kind: 'memory';
      readonly name: string;
      /** Of the search. */
      readonly path: string;
      readonly scopes: readonly string[];
    };

/** What a list takes besides fields. */
const notFields = ['limit', 'offset', 'sort'];

/** Finds resources and memories among the routes. */
export function toDataSources(routes: readonly RouteRow[]): readonly DataSource[] {
  const read = routes.filter(({ method }) => method === 'GET');
  const resources = read
    .filter(({ engine, path }) => engine === 'resource' && !path.includes('{'))
    .map((list): DataSource => {
      const { path, scopes, input_schema: schema } = list;
      const one = read.find((row) => row.engine === 'resource' && row.path.startsWith(`${path}/{`));
      const [, key = 'id'] = /\{(\w+)\}$/.exec(one?.path ?? '') ?? [];
      return { kind: 'resource', name: path.slice(1), path, scopes, key, fields: toFields(schema) };
    });
  const memories = read
    .filter(({ engine, path }) => engine === 'memory' && path.endsWith('/search'))
    .map(
      ({ path, scopes }): DataSource => ({
        kind: 'memory',
        name: path.slice(1, -'/search'.length),
        path,
        scopes,
      }),
    );
  return [...resources, ...memories];
}

function toFields({ properties }: RouteRow['input_schema']): readonly string[] {
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.keys(properties).filter((name) => !notFields.includes(name));
}

/** One row, whatever its columns are. */
export type DataRow = Readonly<Record<string, unknown>>;

/** Takes what a route answered for rows; what is no object is none. */
export function toDataRows(answer: unknown): readonly DataRow[] {
  if (!Array.isArray(answer)) return [];
  return answer.filter(
    (one): one is DataRow => typeof one === 'object' && one !== null && !Array.isArray(one),
  );
}

const mostColumns = 7;

/** The columns that are shown: the key, then the first others. Long texts are cut where they are shown. */
export function toColumnNames(rows: readonly DataRow[], key: string): readonly string[] {
  const all = new Set(rows.slice(0, 50).flatMap((row) => Object.keys(row)));
  return [key, ...[...all].filter((name) => name !== key)].slice(0, mostColumns);
}
