import { verifies } from '@waymark/contract/testing';
import { type RunningApplication, Type } from '@waymark/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { application, secrets } from './served.ts';

const headers = { 'x-api-key': secrets.SHOP_KEY };
const ids = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

let running: RunningApplication;
let url: string;
/** Every GET of the control plane that can be filtered, with the query names it declares; `?live` of health filters nothing. */
let listed: readonly (readonly [path: string, names: readonly string[]])[];

beforeAll(async () => {
  const app = application().apiKey('SHOP_KEY', 'admin', { scopes: ['svc:admin'] });
  app.get('/notes/{id}', { tool: true, input: { id: Type.Integer() } }, ({ id }) => id);
  app.context('facts', { data: 'Facts.' }).camera('door').agent('helper', { public: true });
  app.behaviour('tidy', { public: true }, () => null);
  app.flow('chain', { pipeline: [{ tool: 'get_notes_by_id', input: { id: 1 } }], public: true });
  running = await app.listen();
  url = running.url;
  const document = (await (await fetch(`${url}/_svc/openapi.json`, { headers })).json()) as {
    readonly paths: Readonly<Record<string, { readonly get?: Operation }>>;
  };
  listed = Object.entries(document.paths).flatMap(([path, { get }]) => {
    // What stands below one row is no listing.
    if (!path.startsWith('/_svc/') || path === '/_svc/health' || path.includes('{')) return [];
    const names = get?.parameters?.filter((one) => one.in === 'query').map(({ name }) => name) ?? [];
    return names.length === 0 ? [] : [[path, names] as const];
  });
});

afterAll(() => running.close());

const status = async (target: string): Promise<number> => (await fetch(url + target, { headers })).status;

const nonsense = ['', '%E2%98%83', 'no such thing', '-1', ids.toLowerCase()];

/** Names of callers and routes may be any. */
const freeTexts = new Set(['name', 'caller', 'principal', 'route']);

describe('a listing of the control plane that can be filtered', () => {
  it('is found here, and so are its filters', () => {
    for (const name of ['approvals', 'audit', 'runs', 'usage'])
      expect(listed.map(([path]) => path)).toContain(`/_svc/${name}`);
    expect(new Set(listed.flatMap(([, names]) => names))).toEqual(
      new Set([
        ...['status', 'after', 'limit', 'kind', 'run_id', 'before', 'since_ms', 'bucket', 'kinds'],
        ...['name', 'caller', 'until_ms', 'sort', 'principal', 'route', 'window_ms'],
      ]),
    );
  });

  it('refuses a query name that it does not know: a misspelt filter would show everything', async () => {
    verifies('http.unknown.control');
    for (const [path] of listed) {
      expect([path, await status(path)]).toEqual([path, 200]);
      expect([path, await status(`${path}?stauts=failed`)]).toEqual([path, 422]);
    }
  });

  it('refuses a value that means nothing to it, and one of two', async () => {
    verifies('http.unknown.control');
    for (const [path, names] of listed)
      for (const name of names)
        for (const value of freeTexts.has(name) ? [''] : nonsense) {
          const target = `${path}?${name}=${value}`;
          expect([target, await status(target)]).toEqual([target, 422]);
        }
    expect(await status('/_svc/audit?kind=a&kind=b')).toBe(400);
  });

  it.each([
    '/_svc/audit?limit=1',
    '/_svc/audit?limit=1000',
    '/_svc/audit?limit=1001',
    `/_svc/audit?before=${ids}&kind=tool_called&run_id=${ids}`,
    `/_svc/audit?run_id=${ids}.0.12`,
    '/_svc/runs?limit=500&status=failed',
    `/_svc/runs?after=${ids}`,
    `/_svc/approvals?limit=1&status=denied&after=${ids}`,
    '/_svc/usage?since_ms=0&bucket=hour',
  ])('takes %s', async (target) => {
    expect(await status(target)).toBe(200);
  });

  it.each([
    '/_svc/audit?limit=0',
    '/_svc/runs?limit=0',
    '/_svc/runs?limit=501',
    '/_svc/approvals?limit=501',
    `/_svc/audit?before=${ids}0`,
    `/_svc/audit?before=8${ids.slice(1)}`,
    `/_svc/audit?run_id=${ids}.`,
    '/_svc/usage?since_ms=1.5',
  ])('refuses %s', async (target) => {
    expect(await status(target)).toBe(422);
  });
});
