import { get } from './knock.ts';

/** A row of `GET {control_prefix}/routes`. */
export interface Row {
  readonly method: string;
  readonly path: string;
  readonly engine: string;
  readonly tool: string | null;
  readonly scopes: readonly string[];
  readonly approval: string;
}

/** Where the control plane of these applications lies. */
export const prefix = '/_svc';

/** What stands for a parameter of a path. A name that is not here has to be added before its row can be called. */
const values: Readonly<Record<string, string>> = {
  id: '1',
  run_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  key: 'printers',
  'file*': 'style.css',
  'rest*': 'v1/invoices/1',
  seq: '1',
  // Of the pages of devices: no such release.
  version: '0',
  file: 'view.js',
};

/** The rows that an application serves, as it tells whoever has `svc:admin`. */
export async function rowsOf(port: number, adminKey: string): Promise<readonly Row[]> {
  const answer = await get(port, `${prefix}/routes`, [['x-api-key', adminKey]]);
  return (JSON.parse(answer.body) as { readonly routes: readonly Row[] }).routes;
}

/** A path that leads to a row. @throws {Error} when one of its parameters is not known here */
export function targetOf({ path }: Row): string {
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${path}: write down what stands for {${name}} in rows.ts`);
    return value;
  });
}
