import type { Caller } from '../authority/callers.ts';
import { get } from '../authority/knock.ts';
import { byUpgrade, overHttp } from '../authority/oracle.ts';
import { prefix, type Row, rowsOf, targetOf } from '../authority/rows.ts';
import type { Header } from '../wire/connection.ts';
import type { Attack } from './attack.ts';
import { probeLimit, probeSocket } from './probe-door.ts';
import { type Fit, shapes } from './shapes/shapes.ts';
import type { NoisyDesk } from './start-desk.ts';

const mcpScopes = ['tickets:read'];

interface Known {
  readonly row: Row;
  readonly fits: readonly Fit[];
  readonly door: Attack['door'];
  /** Those who are let in, the weakest first, and those who are not. */
  readonly reach: readonly Caller[];
  readonly refused: readonly Caller[];
}

/**
 * Everything that somebody may do to a desk, made from the routes that it lists: a new door is attacked as soon as it is
 * there.
 *
 * Doors of one make (engine, method, limit) are alike: on the first of them each shape that fits is an attack of its own, by
 * the weakest caller who reaches it. On every door everybody who reaches it, and on some those who do not, do all of that
 * in turn.
 */
export async function attacksOn(desk: NoisyDesk): Promise<readonly Attack[]> {
  const callers = callersOf(desk);
  const [anonymous] = callers;
  const rows = await rowsOf(desk.port, desk.keys.operator);
  const document = await get(desk.port, `${prefix}/openapi.json`, [['x-api-key', desk.keys.operator]]);
  const patterned = patternsOf(JSON.parse(document.body) as Document);
  const makes = new Set<string>();
  const attacks: Attack[] = [];
  for (const known of await lookAtAll(rows, (row) => lookAt(desk, row, callers, patterned))) {
    const { row } = known;
    const [weakest, ...others] = known.reach;
    const make = [row.engine, row.method, known.door.limit, known.fits, placeOf(row)].join();
    if (weakest && !makes.has(make)) {
      makes.add(make);
      attacks.push(
        ...known.fits.flatMap((fit) => namesOf(fit, known).map((shape) => by(weakest, known, shape))),
      );
      attacks.push(...others.map((caller) => by(caller, known, `${known.fits.join('+')}/all`)));
    } else {
      attacks.push(...known.reach.map((caller) => by(caller, known, `${known.fits.join('+')}/all`)));
    }
    // Nobody reads the body of somebody who is sent away.
    if (row.tool !== null && known.fits.includes('bodies'))
      attacks.push(...known.refused.map((caller) => by(caller, known, 'bodies/all')));
  }
  const lines = Object.keys(shapes.lines).map((shape) => ({
    by: 'anonymous',
    headers: [],
    door: { method: 'GET', target: '/', limit: 0, patterned: [] },
    shape: `lines/${shape}`,
  }));
  return anonymous ? [...lines, ...attacks] : [];
}

/** How an attack is called in reports, and found again. */
export function nameOf({ by, door, shape }: Attack): string {
  return `${by} ${door.method} ${door.target} ${shape.replace(/^[^/]+\/(?!all)/, '')}`;
}

function by({ name, headers }: Caller, { door }: Known, shape: string): Attack {
  return { by: name, headers, door, shape };
}

/** Of patterns one fits a body, the other a query. */
function namesOf(fit: Fit, { fits }: Known): readonly string[] {
  const names = Object.keys(shapes[fit]).map((shape) => `${fit}/${shape}`);
  return fit === 'patterns'
    ? names.filter((name) => name.endsWith('body') === fits.includes('bodies'))
    : names;
}

/** Control routes differ from each other, and so do those of a device. */
function placeOf({ engine, path }: Row): string {
  if (engine === 'device') return path.slice(path.lastIndexOf('/'));
  return engine === 'control' ? path : '';
}

function callersOf({ keys }: NoisyDesk): readonly Caller[] {
  const holder = (name: 'device' | 'reader' | 'operator', scopes: readonly string[]): Caller => {
    const headers: readonly Header[] = [['x-api-key', keys[name]]];
    return { name, headers, credential: 'right', scopes };
  };
  const reads = ['tickets:read', 'devices:read'];
  return [
    { name: 'anonymous', headers: [], credential: 'none', scopes: [] },
    holder('device', ['devices:ingest']),
    holder('reader', reads),
    holder('operator', [...reads, 'svc:admin', 'tickets:write', 'tickets:purge', 'devices:ingest']),
  ];
}

/** Some at a time: nobody is to be told that it is too many. */
async function lookAtAll(
  rows: readonly Row[],
  look: (row: Row) => Promise<Known>,
): Promise<readonly Known[]> {
  const known: Known[] = [];
  for (let i = 0; i < rows.length; i += 16)
    known.push(...(await Promise.all(rows.slice(i, i + 16).map(look))));
  return known;
}

async function lookAt(
  { port }: NoisyDesk,
  row: Row,
  callers: readonly Caller[],
  patterned: ReadonlyMap<string, readonly string[]>,
): Promise<Known> {
  const target = targetOf(row);
  const isSocket = row.method === 'GET' && (await probeSocket(port, target));
  const lets = (caller: Caller): boolean =>
    (isSocket ? byUpgrade(caller, row, true, mcpScopes) : overHttp(caller, row, mcpScopes)) === 'in';
  const reach = callers.filter(lets);
  const members = patterned.get(`${row.method} ${row.path}`) ?? [];
  const fits = fitsOf(row, isSocket, members);
  const limit =
    fits.includes('bodies') && reach[0] ? await probeLimit(port, row.method, target, reach[0]) : 0;
  const refused = callers.filter((caller) => !lets(caller));
  return { row, fits, reach, refused, door: { method: row.method, target, limit, patterned: members } };
}

function fitsOf(
  { method, path, engine }: Row,
  isSocket: boolean,
  patterned: readonly string[],
): readonly Fit[] {
  if (isSocket) return ['sockets'];
  const fits: Fit[] = ['heads'];
  if (method === 'GET' || method === 'DELETE') fits.push('queries');
  else fits.push('bodies');
  if (patterned.length > 0) fits.push('patterns');
  if (path === `${prefix}/mcp`) fits.push('mcp');
  if (['agent', 'behaviour', 'flow'].includes(engine)) fits.push('runs');
  if (path.endsWith('/runs/{run_id}') && !path.startsWith(prefix)) fits.push('follows');
  return fits;
}

interface Schema {
  readonly pattern?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema?: Schema }[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** The members and parameters that are held against a pattern, or a format, by method and path. */
function patternsOf({ paths }: Document): ReadonlyMap<string, readonly string[]> {
  const isHeld = (schema: Schema | undefined): boolean => (schema?.pattern ?? schema?.format) !== undefined;
  const found = new Map<string, readonly string[]>();
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { parameters = [], requestBody }] of Object.entries(operations)) {
      const members = Object.entries(requestBody?.content?.['application/json']?.schema?.properties ?? {});
      found.set(`${method.toUpperCase()} ${path}`, [
        ...parameters.flatMap((one) => (one.in === 'query' && isHeld(one.schema) ? [one.name] : [])),
        ...members.flatMap(([name, schema]) => (isHeld(schema) ? [name] : [])),
      ]);
    }
  return found;
}
