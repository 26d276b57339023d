import { DeclarationError, HTTPError, Type, type Values } from '@waymark/contract';
import type { Database } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';
import { describe, expect, it } from 'vitest';
import { createPages, type PageOptions, page } from '../../src/index.ts';
import { folderOf, problemsOf, serve } from '../serve.ts';

const ada: Principal = { id: 'agent:desk', rootId: 'ada', authenticated: true, scopes: ['tickets:read'] };

/** A database that gives its rows to whoever asks, and remembers what was bound. */
function rowsOf(
  rows: readonly Values[],
  parameters: readonly (string | undefined)[] = [],
  reads = true,
): Database & { readonly bound: unknown[] } {
  const bound: unknown[] = [];
  return {
    bound,
    check: async () => ({ ok: true, reads, parameters, columns: [] }),
    async many(_, params) {
      bound.push(params);
      return rows;
    },
  };
}

/** Shows one page at `/board` with a template. */
async function shown(template: string, options: PageOptions, database?: Database) {
  const templates = folderOf({ 'board.hbs': template });
  const { table, ask, read } = await serve([page('/board', 'board', options)], { templates }, database);
  const name = [...table][0]?.name ?? '';
  return {
    table,
    ask: (input?: Values, given?: Parameters<typeof ask>[2]) => ask(name, input, given),
    read: (input?: Values, given?: Parameters<typeof ask>[2]) => read(name, input, given),
  };
}

describe('a page', () => {
  it('is its template, as HTML with status 200', async () => {
    const { table, ask } = await shown('<p>Ü</p>', {});
    expect(await ask()).toMatchObject({
      status: 200,
      headers: {},
      body: {
        kind: 'bytes',
        bytes: new TextEncoder().encode('<p>Ü</p>'),
        mediaType: 'text/html; charset=utf-8',
      },
    });
    expect([...table]).toMatchObject([
      {
        method: 'GET',
        path: '/board',
        tool: false,
        scopes: [],
        engine: { kind: 'page' },
        output: { 200: { contentMediaType: 'text/html' } },
      },
    ]);
  });

  it('may have another status and method, scopes and words', async () => {
    const options = {
      status: 404,
      method: 'POST',
      scopes: ['desk'],
      summary: 'Shows.',
      description: 'Long.',
      timeoutMs: 5,
    } as const;
    const { table, ask } = await shown('x', options);
    expect((await ask()).status).toBe(404);
    const { method, scopes, summary, description, timeoutMs, output } = [...table][0] ?? {};
    expect({ method, scopes, summary, description, timeoutMs, output: Object.keys(output ?? {}) }).toEqual({
      ...{ method: 'POST', scopes: ['desk'], summary: 'Shows.', description: 'Long.', timeoutMs: 5 },
      output: ['404'],
    });
  });

  it('shows constant data: the members of a map by their names, and everything as data', async () => {
    const data = { title: 'Board', list: [1, 2] };
    const { read } = await shown('{{title}}{{data.title}}{{#each list}}{{this}}{{/each}}', { data });
    data.title = 'changed';
    expect(await read()).toBe('BoardBoard12');
    expect(await (await shown('{{#each data}}{{this}}{{/each}}', { data: ['a', 'b'] })).read()).toBe('ab');
    expect(await (await shown('{{mine.title}}', { data, bind: 'mine' })).read()).toBe('changed');
  });

  it('shows data as JSON has it, without what an object inherits', async () => {
    class Row {
      title = 'a';
      get hidden() {
        return 'seen';
      }
    }
    const data = { row: new Row(), at: new Date(0) };
    const { read } = await shown('{{row.title}}{{row.hidden}} {{at}}', { data });
    expect(await read()).toBe('a 1970-01-01T00:00:00.000Z');
  });

  it('sees the request and who asks, whatever else it shows', async () => {
    const template =
      '{{request.path}} {{request.params.id}} {{request.query.q}} {{user.id}} {{user.authenticated}} {{user.scopes.[0]}}';
    const { read } = await shown(template, {});
    const given = { path: '/board/%37', params: { id: '<7>' }, query: { q: '"a"' }, principal: ada };
    expect(await read({}, given)).toBe('/board/%37 &lt;7&gt; &quot;a&quot; agent:desk true tickets:read');
    expect(await read()).toBe('/board   anonymous false ');
  });

  it('sees nothing more of the request', async () => {
    const template =
      '{{request.headers.x}}{{request.body}}{{request.user.id}}{{user.root_id}}{{user.rootId}}{{principal.id}}';
    const { read } = await shown(template, {});
    expect(await read({}, { headers: { x: 'secret' }, principal: ada })).toBe('');
  });
});

describe('a page with SQL', () => {
  const sql = 'select * from tickets';
  const rows = [{ title: '<b>' }, { title: 'b' }];

  it('shows many rows as data', async () => {
    const database = rowsOf(rows);
    const { read } = await shown('{{#each data}}[{{title}}]{{/each}}', { sql }, database);
    expect(await read()).toBe('[&lt;b&gt;][b]');
    expect(database.bound).toEqual([{}]);
  });

  it('binds no parameters by default, and shows no rows of nothing', async () => {
    const { read, table } = await shown('{{#each data}}x{{else}}none{{/each}}', { sql }, rowsOf([]));
    expect(await read()).toBe('none');
    expect([...table][0]?.parameters).toEqual([]);
  });

  it('calls them what bind says', async () => {
    const { read } = await shown('{{tickets.length}}{{data}}', { sql, bind: 'tickets' }, rowsOf(rows));
    expect(await read()).toBe('2');
  });

  it('shows one row, or is 404', async () => {
    const one = { sql, returns: 'one' } as const;
    expect(await (await shown('{{data.title}}', one, rowsOf([{ title: 'a' }]))).read()).toBe('a');
    const { ask } = await shown('{{data.title}}', one, rowsOf([]));
    expect(await ask()).toMatchObject({
      status: 404,
      body: { kind: 'problem', detail: 'there is no such row' },
    });
  });

  it('binds by name, from path, query and the root of whoever asks', async () => {
    const database = rowsOf([], ['id', 'state', 'principal']);
    const params = { id: 'integer', state: Type.Optional(Type.String()), '@principal': 'string' } as const;
    const templates = folderOf({ 'board.hbs': '' });
    const { ask, table } = await serve(
      [page('/board/{id}', 'board', { sql, params })],
      { templates },
      database,
    );
    const name = [...table][0]?.name ?? '';
    await ask(name, { id: 7 }, { principal: ada });
    await ask(name, { id: 8, state: 'open' }, { principal: ada });
    expect(database.bound).toEqual([
      { id: 7, state: null, principal: 'ada' },
      { id: 8, state: 'open', principal: 'ada' },
    ]);
    expect([...table][0]?.parameters.map(({ name: parameter, place }) => [parameter, place])).toEqual([
      ['id', 'path'],
      ['state', 'query'],
    ]);
    expect((await ask(name, { id: 7 })).status).toBe(401);
    expect((await ask(name, { id: 2 ** 53 }, { principal: ada })).status).toBe(422);
    expect((await ask(name, { id: '7' }, { principal: ada })).status).toBe(422);
    expect(database.bound).toHaveLength(2);
  });

  it('binds by position, in the order of the params', async () => {
    const database = rowsOf([], [undefined, undefined]);
    const { ask } = await shown('', { sql, params: ['b', 'a'] }, database);
    await ask({ a: 1, b: { x: 1 } as unknown as string });
    await ask({ a: 1, b: 'two' });
    expect(database.bound).toEqual([['two', 1]]);
  });

  it('binds objects as JSON, and takes names that objects have', async () => {
    const database = rowsOf([], ['constructor', 'map']);
    const params = { constructor: Type.Optional(Type.String()), map: 'json' } as const;
    const { ask } = await shown('', { sql, params, method: 'POST' }, database);
    await ask({ map: { a: 1 } });
    expect(database.bound).toEqual([{ constructor: null, map: '{"a":1}' }]);
  });

  it('hands errors of the database on', async () => {
    const database: Database = { ...rowsOf([]), many: () => Promise.reject(new HTTPError(503, 'busy')) };
    expect((await (await shown('', { sql }, database)).ask()).status).toBe(503);
  });
});

describe('a page that is declared wrongly', () => {
  const templates = () => folderOf({ 'board.hbs': '', 'desk/list.html': '' });
  const found = (options: object, template: unknown = 'board') =>
    problemsOf([page('/board', template as string, options)], { templates: templates(), database: true }).map(
      ({ declaration, code, rule, nearest, fix }) => `${declaration}: ${code}: ${rule}; ${nearest ?? fix}`,
    );

  it.each([
    [
      { sql: 'select 1', data: 1 },
      'page-source: it has sql and data, and shows only one of them; take one out, or work both out in a pageHandler',
    ],
    [{ sql: '' }, 'page-sql: its SQL is not a text, or an empty one; write one SELECT'],
    [{ sql: 7 }, 'page-sql: its SQL is not a text, or an empty one; write one SELECT'],
    [
      { params: ['id'] },
      'page-params: it has params and no sql; take them out, or write the sql that they are for',
    ],
    [
      { sql: 'x', params: 'id' },
      "page-params: its params are neither a list of names nor a map of name to type; write params: ['id'], or params: { id: 'integer' }",
    ],
    [
      { sql: 'x', params: ['a', 'a'] },
      "page-params: its params are neither a list of names nor a map of name to type; write params: ['id'], or params: { id: 'integer' }",
    ],
    [
      { sql: 'x', params: { a: 'int' } },
      "page-params: its params are neither a list of names nor a map of name to type; write params: ['id'], or params: { id: 'integer' }",
    ],
    [{ sql: 'x', params: ['a b'] }, 'page-params: "a b" is no name of a param; write a word'],
    [
      { sql: 'x', params: ['principal'] },
      'page-principal: the param "principal" would be given by callers; write "@principal" for the root principal, or take another name',
    ],
    [
      { data: () => 1 },
      'page-data: its data is not JSON; write a value without functions, circles and BigInts, or use a pageHandler',
    ],
    [
      { data: { user: 1 } },
      'page-bind: its data has a member "user"; take another name: every template has request and user',
    ],
    [
      { bind: 'request' },
      'page-bind: what it shows is called "request"; take another name: every template has request and user',
    ],
    [{ bind: 'my rows' }, 'page-bind: "my rows" is no name that a template can write; write a word'],
    [{ bind: '__proto__' }, 'page-bind: "__proto__" is no name that a template can write; write a word'],
    [
      { status: 99 },
      'page-status: 99 is not the status of an answer with content; write a number from 200 to 599',
    ],
    [
      { status: 204 },
      'page-status: 204 is not the status of an answer with content; write a number from 200 to 599',
    ],
    [{ returns: 'affected', sql: 'x' }, 'unknown-word: unknown returns "affected"; write many or one'],
    [
      { tool: true },
      'unknown-option: unknown option "tool"; take it out; there are sql, params, data, returns, bind, status, method, scopes, summary, description, deprecated, timeoutMs, strictQuery',
    ],
    [7, 'options-form: the options are not an object; write { name: value }'],
  ])('%o', (options, report) => {
    expect(found(options as object)).toEqual([`page GET /board: ${report}`]);
  });

  it('shows a number that JSON does not have', () => {
    expect(found({ data: { count: 1n } })[0]).toContain('page-data: its data is not JSON');
  });

  it('names a template that is not there', () => {
    expect(found({}, 'bord')).toEqual(['page GET /board: page-template: unknown template "bord"; board']);
    expect(found({}, 'desk/lists')).toEqual([
      'page GET /board: page-template: unknown template "desk/lists"; desk/list',
    ]);
    expect(found({}, 'entirely-else.html')).toEqual([
      'page GET /board: page-template: unknown template "entirely-else.html"; add entirely-else.hbs to the templates of the application',
    ]);
    expect(found({}, 7)).toEqual([
      'page GET /board: page-template: its template is not a text; name a file below the templates of the application',
    ]);
  });

  it('has its place in the source', () => {
    const [problem] = problemsOf([page('/board', 'bord')], { templates: templates() });
    expect(problem?.at).toMatch(/page\.test\.ts:\d+$/);
  });

  it('has no templates at all, which is said once', () => {
    const two = [page('/a', 'a'), page('/b', 'b')];
    const rules = (directory?: string) =>
      problemsOf(two, { templates: directory }).map(({ declaration, rule }) => `${declaration}: ${rule}`);
    expect(rules()).toEqual(['page GET /a: the application names no directory of templates']);
    expect(rules('no/such')).toEqual(['page GET /a: there is no directory "no/such"']);
    expect(problemsOf([], {})).toEqual([]);
  });

  it('runs SQL without a database', async () => {
    const declared = [page('/board', 'board', { sql: 'x' })];
    expect(problemsOf(declared, { templates: templates(), database: false })).toMatchObject([
      { code: 'page-database' },
    ]);
    await expect(serve(declared, { templates: templates() })).rejects.toThrow(
      'it runs SQL, and there is no database',
    );
  });

  it('runs SQL that the database refuses, that writes, or whose params are others', async () => {
    const start = async (options: PageOptions, database: Database) => {
      const error: unknown = await shown('', { sql: 'x', ...options }, database).catch(
        (reason: unknown) => reason,
      );
      return error instanceof DeclarationError
        ? error.problems.map(({ code, rule }) => `${code}: ${rule}`)
        : error;
    };
    const broken: Database = {
      ...rowsOf([]),
      check: async () => ({ ok: false, problem: 'no such table: t' }),
    };
    expect(await start({}, broken)).toEqual(['page-sql: its SQL does not run: no such table: t']);
    expect(await start({}, rowsOf([], [], false))).toEqual(['page-sql: its SQL does not only read']);
    expect(await start({ params: ['b'] }, rowsOf([], ['a']))).toEqual([
      'page-params: its placeholder :a is not among its params',
      'page-params: its param "b" has no placeholder',
    ]);
    expect(await start({}, rowsOf([], ['principal']))).toEqual([
      'page-params: its placeholder @principal is not among its params',
    ]);
    expect(await start({ params: ['b'] }, rowsOf([], [undefined, undefined]))).toEqual([
      'page-params: it has 2 placeholders and 1 params',
    ]);
    expect(await start({ params: ['b'] }, rowsOf([], []))).toEqual([
      'page-params: its param "b" has no placeholder',
    ]);
  });

  it('needs a database where nobody said whether there is one', () => {
    const declared = [page('/board', 'board', { sql: 'x' })];
    expect(createPages(declared).needs).toEqual(['database']);
    expect(createPages(declared, { database: true }).needs).toBeUndefined();
    expect(createPages([page('/board', 'board')]).needs).toBeUndefined();
  });
});
