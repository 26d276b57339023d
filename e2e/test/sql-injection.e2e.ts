import { byTier, verifies } from '@waymark/contract/testing';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { carelessRoutes } from './careless-sql.ts';
import { sqlInjections } from './corpora/sql-injections.ts';
import { serve } from './served.ts';
import { createSqlDesk, deskKeys } from './sql-desk.ts';
import { findLeak } from './sql-leaks.ts';
import { type Answer, clientOf } from './sql-served.ts';
import { temporaryFolder } from './started-desk.ts';

const caller = deskKeys.ANN_KEY;
const bob = deskKeys.BOB_KEY;
const secret = 'the-secret-of-bob';
let file: string;

beforeEach(() => {
  file = `${temporaryFolder(onTestFinished)}/app.db`;
});

/** A desk with rows that nobody asks for, and a way to look at all there is. */
async function desk() {
  const app = createSqlDesk(`sqlite://${file}`, { LOG_LEVEL: 'silent', ...deskKeys });
  app.add(...carelessRoutes(file));
  app.query('GET', '/schema', 'select name, sql from sqlite_schema order by name');
  app.query('GET', '/everything', 'select title, rank, extra from tickets order by id');
  const client = clientOf((await serve(app)).url);
  const { send } = client;
  for (const title of ['gone', 'first', 'second'])
    await send('POST', '/tickets', { body: { title, rank: 5 } });
  // A text that happens to be the key of a row would be right to find it.
  await send('DELETE', '/tickets/1');
  await send('POST', '/notes/remember', { body: { key: 'k', value: secret }, caller: bob });
  const inventory = async () => [
    (await send('GET', '/schema')).value,
    (await send('GET', '/everything')).value,
  ];
  return { ...client, inventory };
}

/** A request that carries a text, and the same for a tool, as it was answered. */
interface Tried {
  readonly where: string;
  readonly status: number;
  readonly text: string;
  /** Rows that came back. */
  readonly rows: readonly unknown[];
  readonly tookMs: number;
}

type Desk = Awaited<ReturnType<typeof desk>>;

/** Puts the nth text into places where a caller can put one that asks for something. */
async function readEverywhere({ send, call }: Desk, text: string, nth: number): Promise<readonly Tried[]> {
  const encoded = encodeURIComponent(text);
  const requests: Readonly<Record<string, readonly [method: string, path: string]>> = {
    path: ['GET', `/tickets/${encoded}`],
    'path of a query': ['GET', `/titles/${encoded}`],
    'path of a memory': ['GET', `/notes/recall/${encoded}`],
    filter: ['GET', `/tickets?title=${encoded}`],
    'filter of integers': ['GET', `/tickets?rank=${encoded}`],
    'filter of JSON': ['GET', `/tickets?extra=${encoded}`],
    'name of a filter': ['GET', `/tickets?${encoded}=first`],
    sort: ['GET', `/tickets?limit=1&title=none&sort=${encoded}`],
    'sort, turned around': ['GET', `/tickets?limit=1&title=none&sort=-${encoded}`],
    limit: ['GET', `/tickets?title=none&limit=${encoded}`],
    offset: ['GET', `/tickets?title=none&offset=${encoded}`],
    'query of a query': ['GET', `/ranks?from=${encoded}&to=${encoded}`],
    search: ['GET', `/notes/search?query=${encoded}`],
    'limit of a search': ['GET', `/notes/search?query=none&limit=${encoded}`],
    'key to forget': ['DELETE', `/notes/forget/${encoded}`],
    'key to delete': ['DELETE', `/tickets/${encoded}`],
  };
  const tools: Readonly<Record<string, readonly [name: string, values: object]>> = {
    'tool: filter': ['list_tickets', { title: text }],
    'tool: filter of JSON': ['list_tickets', { extra: text }],
    'tool: sort': ['list_tickets', { title: 'none', sort: text }],
    'tool: limit': ['list_tickets', { title: 'none', limit: text }],
    'tool: name of a filter': ['list_tickets', { title: 'none', [text]: 1 }],
    'tool: key': ['get_tickets', { id: text }],
    'tool: param': ['find_titles', { title: text }],
    'tool: recall': ['notes_recall', { key: text }],
    'tool: search': ['notes_search', { query: text }],
    'tool: name': [text, {}],
  };
  const useTool = async (
    name: string,
    values: object,
  ): Promise<Pick<Answer, 'status' | 'text' | 'value'>> => {
    const result = await call(name, values, caller);
    return { status: 200, text: JSON.stringify(result), value: result.structuredContent?.result };
  };
  const places = [
    ...Object.entries(requests).map(
      ([where, [method, path]]) =>
        () =>
          timed(where, () => send(method, path, { caller })),
    ),
    ...Object.entries(tools).map(
      ([where, [name, values]]) =>
        () =>
          timed(where, () => useTool(name, values)),
    ),
  ];
  return Promise.all(places.filter((_, i) => (i + nth) % everyPlace === 0).map((place) => place()));
}

async function timed(
  where: string,
  ask: () => Promise<Pick<Answer, 'status' | 'text' | 'value'>>,
): Promise<Tried> {
  const startedMs = performance.now();
  const { status, text, value } = await ask();
  return {
    where,
    status,
    text,
    rows: Array.isArray(value) ? value : [],
    tookMs: performance.now() - startedMs,
  };
}

/** What shows that a text was more than a text, or that an answer tells too much. */
function findBreach({ where, status, text, rows, tookMs }: Tried, given: string): string | undefined {
  const leak = findLeak(text, given);
  // Whoever is turned away has not been tried.
  if (status === 429 || status >= 500 || text.includes('failed with 5'))
    return `${where}: ${status} for ${given}`;
  if (rows.length > 0) return `${where}: ${rows.length} rows for ${given}`;
  if (text.includes(secret)) return `${where}: the secret for ${given}`;
  if (leak !== undefined) return `${where}: says "${leak}" for ${given}`;
  return tookMs > 5_000 ? `${where}: ${tookMs} ms for ${given}` : undefined;
}

/** A text is tried in each so-manieth place, the next one in those behind: each place has its share of all texts. */
const everyPlace = byTier({ quick: 3, slow: 3, drill: 1 });

const texts = [...new Set(Object.values(sqlInjections).flat())];

describe('a text in the place of a value or a name', () => {
  it('is a text: it finds nothing, breaks nothing and brings nothing to light', async () => {
    verifies('query.no-sql-outside');
    const served = await desk();
    const before = await served.inventory();
    const breaches: string[] = [];
    for (const [nth, text] of texts.entries())
      for (const tried of await readEverywhere(served, text, nth)) {
        const breach = findBreach(tried, text);
        if (breach !== undefined) breaches.push(breach);
      }
    expect(breaches).toEqual([]);
    expect(await served.inventory()).toEqual(before);
  });

  it('is stored as it stands, and found again by itself alone', async () => {
    const { send, call, inventory } = await desk();
    const [schema, rows] = await inventory();
    // No path has control characters: that is refused before anybody looks at it.
    const tried = texts.filter((one) => !/[\t\n]/.test(one));
    const store = async (text: string): Promise<void> => {
      const body = { title: text, extra: { [text]: text } };
      const created = await send('POST', '/tickets', { body, caller });
      expect([text, created.status]).toEqual([text, 201]);
      const { id } = created.value as { readonly id: number };
      expect((await send('GET', `/titles/${encodeURIComponent(text)}`, { caller })).value).toEqual([
        { id, title: text },
      ]);
      const found = await send('GET', `/tickets?title=${encodeURIComponent(text)}`, { caller });
      expect(found.value).toEqual([{ id, ...body, rank: null }]);
      const ranked = await call('rank_tickets', { title: text, rank: 7 }, caller);
      expect(ranked.structuredContent).toEqual({ affected: 1, last_insert_id: null });
      const changed = await send('PATCH', `/tickets/${id}`, { body: { title: `${text}!` }, caller });
      expect(changed.value).toEqual({ id, ...body, title: `${text}!`, rank: 7 });
      for (const tag of [text, `"${text}"`].filter((one) => /^[\x20-\x7e]+$/.test(one) && one !== '*')) {
        const headers = { 'if-match': tag };
        const refused = await send('DELETE', `/tickets/${id}`, { headers, caller });
        expect([text, refused.status, findLeak(refused.text, text)]).toEqual([text, 412, undefined]);
      }
      const kept = await send('POST', '/notes/remember', { body: { key: text, value: text }, caller });
      expect(kept.value).toMatchObject({ key: text, value: text });
      const path = encodeURIComponent(text);
      expect((await send('GET', `/notes/recall/${path}`, { caller })).value).toMatchObject({ value: text });
      expect((await send('GET', `/notes/recall/${path}`, { caller: bob })).status).toBe(404);
      expect((await send('DELETE', `/notes/forget/${path}`, { caller })).value).toEqual({ affected: 1 });
      expect((await send('DELETE', `/tickets/${id}`, { caller })).status).toBe(204);
    };
    await Promise.all(tried.map(store));
    expect(await inventory()).toEqual([schema, rows]);
  });

  it('is no name of a member', async () => {
    const { send, inventory } = await desk();
    const before = await inventory();
    for (const text of texts) {
      const refused = await send('POST', '/tickets', { body: { title: 'a', [text]: 'b' }, caller });
      expect([text, refused.status, findLeak(refused.text, text)]).toEqual([text, 422, undefined]);
      const changed = await send('PATCH', '/tickets/2', { body: { [text]: 'b' }, caller });
      expect([text, changed.status]).toEqual([text, 422]);
    }
    expect(await inventory()).toEqual(before);
  });

  it('would be noticed if it were more: a route that puts it into its SQL is', async () => {
    const { send } = await desk();
    const kinds = new Set<string>();
    // What takes its time would take the whole process along.
    const quick = texts.filter((text) => !sqlInjections['takes its time']?.includes(text));
    for (const text of quick)
      for (const path of ['/vulnerable?title=', '/vulnerable-order?sort=']) {
        const ask = () => send('GET', path + encodeURIComponent(text), { caller });
        const breach = findBreach(await timed(path, ask), text);
        if (breach !== undefined) kinds.add(breach.replace(/ for .*/s, ''));
      }
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        ...['/vulnerable?title=: 3 rows', '/vulnerable?title=: 500'],
        ...['/vulnerable-order?sort=: 3 rows', '/vulnerable-order?sort=: 500'],
      ]),
    );
    expect(findLeak('{"detail":"near \\"x\\": syntax error"}', 'x')).toBeDefined();
    expect(findLeak('{"detail":"/sort names \\"svc_\\""}', 'svc_')).toBeUndefined();
  });
});
