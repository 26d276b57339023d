import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deskKeys } from '../test/sql-desk.ts';
import { clientOf } from '../test/sql-served.ts';
import { type StartedDesk, startDesk, temporaryFolder } from '../test/started-desk.ts';
import { type WatchingProxy, watchingProxy } from '../test/watching-proxy.ts';

const caller = deskKeys.ANN_KEY;
const available = install();
const ends: (() => void)[] = [];
let folder: string;
let desk: StartedDesk;
let proxy: WatchingProxy;

beforeAll(async () => {
  if (!available) return;
  folder = temporaryFolder((task) => ends.push(task));
  const file = join(folder, 'app.db');
  desk = await startDesk(file, { CARELESS: file });
  proxy = await watchingProxy(desk.url);
  const { send } = clientOf(desk.url);
  for (const title of ['first', 'second', 'third'])
    await send('POST', '/tickets', { body: { title, rank: 5 } });
  await send('POST', '/notes/remember', { body: { key: 'k', value: 'an apple' }, caller });
});

afterAll(async () => {
  await proxy?.close();
  desk?.program.child.kill('SIGKILL');
  for (const end of ends) end();
});

/** Where sqlmap tries its texts: every parameter, or the places marked with `*`. */
interface Target {
  readonly path: string;
  readonly method?: string;
  readonly body?: object;
  readonly headers?: readonly string[];
}

const tool = (name: string, values: object): Target => ({
  path: '/_svc/mcp',
  body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: values } },
  headers: ['Accept: application/json'],
});

const targets: Readonly<Record<string, Target>> = {
  'the list of a resource': { path: '/tickets?title=first&rank=5&extra=1&sort=title&limit=5&offset=0' },
  'the order of a list alone': { path: '/tickets?sort=title*' },
  'a row of a resource': { path: '/tickets/1*' },
  'a new row': { path: '/tickets', body: { title: 'first*', extra: { a: 'b*' } } },
  'a change of a row': { path: '/tickets/2*', method: 'PATCH', body: { title: 'second*' } },
  'a condition': { path: '/tickets/2', method: 'PATCH', body: { rank: 5 }, headers: ['If-Match: "x*"'] },
  'the path of a query': { path: '/titles/first*' },
  'the numbers of a query': { path: '/ranks?from=1&to=9' },
  'a query that writes': { path: '/rank', body: { title: 'first*', rank: 5 } },
  'a search in a memory': { path: '/notes/search?query=apple&limit=5' },
  'an entry of a memory': { path: '/notes/recall/k*' },
  'a new entry': { path: '/notes/remember', body: { key: 'k*', value: 'an apple*' } },
  'the end of an entry': { path: '/notes/forget/none*', method: 'DELETE' },
  'the tool of a list': tool('list_tickets', { title: 'first*', sort: 'title*' }),
  'the tool of a query': tool('find_titles', { title: 'first*' }),
  'the tool of a search': tool('notes_search', { query: 'apple*' }),
  'the tool of an entry': tool('notes_recall', { key: 'k*' }),
  'the name of a tool': tool('list_tickets*', {}),
};

/** Not the order of a list: sqlmap knows nothing that shows such a hole in SQLite. The written corpus does. */
const careless: Readonly<Record<string, Target>> = {
  'the query': { path: '/vulnerable?title=first' },
  'the path': { path: '/vulnerable/first*' },
  'the body': { path: '/vulnerable', body: { title: 'first*' } },
  'a tool': tool('vulnerable', { title: 'first*' }),
};

describe.skipIf(!available)('sqlmap', () => {
  it.each(Object.keys(careless))('finds the deliberate hole in %s', async (name) => {
    const { said, found } = await attack(careless[name]);
    expect(said).toContain('the back-end DBMS is SQLite');
    expect(found).toBe(true);
  });

  it.each(Object.keys(targets))('finds nothing in %s', async (name) => {
    const { said, found, requests } = await attack(targets[name]);
    console.log(`${name}: ${requests} requests`);
    expect(found).toBe(false);
    expect(said).toMatch(/all tested parameters do not appear to be injectable/);
    // It was not turned away at once.
    expect(requests).toBeGreaterThan(100);
  });

  it('was told nothing of the inside, by no answer', async () => {
    console.log(JSON.stringify([...proxy.statuses]));
    expect(proxy.leaks).toEqual([]);
    expect(proxy.statuses.get(200)).toBeGreaterThan(1_000);
    expect([...proxy.statuses.keys()].filter((status) => status === 429 || status > 500)).toEqual([]);
    const { send } = clientOf(desk.url);
    expect((await send('GET', '/tickets/3')).value).toMatchObject({ title: 'third' });
    expect((await send('GET', '/notes/recall/k', { caller })).status).toBe(200);
  });
});

/** Runs sqlmap against one target, with everything it has for values in SQLite. */
async function attack(target: Target | undefined) {
  const { path = '', method, body, headers = [] } = target ?? {};
  const before = [...proxy.statuses.values()].reduce((sum, count) => sum + count, 0);
  const errorsBefore = proxy.statuses.get(500) ?? 0;
  const args = [
    ...[
      '--batch',
      '--flush-session',
      '--disable-coloring',
      '--dbms=sqlite',
      '--level=3',
      '--risk=3',
      '--skip=user-agent,referer',
    ],
    ...['--threads=4', '--ignore-code=*', `--output-dir=${join(folder, 'sqlmap')}`],
    ...['-u', `${proxy.url}${path}`, `--headers=${[`X-Api-Key: ${caller}`, ...headers].join('\n')}`],
    ...(method === undefined ? [] : [`--method=${method}`]),
    ...(body === undefined ? [] : [`--data=${JSON.stringify(body)}`]),
  ];
  const child = spawn('sqlmap', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  await new Promise((resolve) => child.once('close', resolve));
  const requests = [...proxy.statuses.values()].reduce((sum, count) => sum + count, 0) - before;
  const found = /sqlmap identified the following injection point/.test(said);
  if (!found && !path.startsWith('/vulnerable'))
    expect((proxy.statuses.get(500) ?? 0) - errorsBefore, said.slice(-2_000)).toBe(0);
  return { said, found, requests };
}

/** Debian's; a machine without it, or without the right to install it, skips the drill aloud. */
function install(): boolean {
  const known = (): boolean => spawnSync('sqlmap', ['--version']).status === 0;
  if (known()) return true;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update'], { env });
  const { stderr } = spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'sqlmap'], {
    ...{ env, encoding: 'utf8' },
  });
  if (known()) return true;
  console.warn(`skipped: sqlmap could not be installed\n${stderr ?? ''}`);
  return false;
}
