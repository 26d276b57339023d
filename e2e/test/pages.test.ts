import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { toClient } from '@waymark/client-gen';
import { DeclarationError, Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { createPages, type PageOptions, type PagesDeclaration, page, pageHandler } from '@waymark/pages';
import type { Application } from '@waymark/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { application, secrets, serve } from './served.ts';

type Files = Readonly<Record<string, string>>;

/** A folder that goes when the test is over. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-pages-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An application with a database of tickets, and pages over these templates. */
function desk(files: Files, ...declarations: readonly PagesDeclaration[]): Application {
  const folder = newFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return deskOver(folder, ...declarations);
}

/** The same over a folder of templates. */
function deskOver(templates: string, ...declarations: readonly PagesDeclaration[]): Application {
  const app = application({ database: `sqlite://${join(newFolder(), 'app.db')}` });
  app.apiKey('SHOP_KEY', 'shop', { scopes: ['svc:admin', 'desk'] }).apiKey('OTHER_KEY', 'other');
  app.resource('tickets', { title: 'string', owner: 'string' });
  app.add(createPages(declarations, { templates }));
  return app;
}

/** Serves it, with two tickets, and asks it. */
async function served(app: Application) {
  const { url } = await serve(app);
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(new URL(path, url), { redirect: 'manual', ...init });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  for (const ticket of [
    { title: '<b>Printer</b>', owner: 'shop' },
    { title: 'Mouse', owner: 'other' },
  ])
    await ask('/tickets', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ticket),
    });
  return ask;
}

const as = (secret: string) => ({ headers: { 'x-api-key': secret } });
const sql = 'select * from tickets order by id';

describe('pages over HTTP', () => {
  it('are HTML of a template and constant data', async () => {
    verifies('declare.page', 'declare.page.data', 'declare.page.data.default', 'declare.page.sql.default');
    verifies('declare.page.status.default', 'declare.page.scopes.default', 'declare.page.method.default');
    const ask = await served(
      desk(
        { 'about.hbs': '<h1>{{title}}</h1>{{data.title}}', 'plain.hbs': '<p>{{data}}</p>' },
        page('/about', 'about', { data: { title: 'A & B' } }),
        page('/plain', 'plain'),
        page('/gone', 'plain', { status: 410, scopes: ['desk'], method: 'POST' }),
      ),
    );
    const about = await ask('/about');
    expect([about.status, about.text]).toEqual([200, '<h1>A &amp; B</h1>A &amp; B']);
    expect(about.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect((await ask('/plain')).text).toBe('<p></p>');
    expect((await ask('/plain', { method: 'POST' })).status).toBe(405);
    expect(await ask('/about', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect((await ask('/gone', { method: 'POST' })).status).toBe(401);
    expect((await ask('/gone', { method: 'POST', ...as(secrets.OTHER_KEY) })).status).toBe(403);
    expect(await ask('/gone', { method: 'POST', ...as(secrets.SHOP_KEY) })).toMatchObject({
      status: 410,
      text: '<p></p>',
    });
  });

  it('show rows, escaped', async () => {
    verifies('declare.page.sql', 'declare.page.params.default', 'declare.page.returns.default');
    verifies('declare.page.bind', 'declare.page.bind.default', 'page.context.rows', 'page.escaped');
    const ask = await served(
      desk(
        {
          'board.hbs': '{{#each data}}[{{title}}]{{/each}}',
          'named.hbs': '{{#each tickets}}[{{title}}]{{/each}}{{data}}',
        },
        page('/board', 'board', { sql }),
        page('/named', 'named', { sql, bind: 'tickets' }),
      ),
    );
    expect((await ask('/board')).text).toBe('[&lt;b&gt;Printer&lt;/b&gt;][Mouse]');
    expect((await ask('/named')).text).toBe('[&lt;b&gt;Printer&lt;/b&gt;][Mouse]');
  });

  it('bind what comes in path, query, and from whoever asks', async () => {
    verifies('face.source.page-declaration', 'page.context.request', 'page.context.user');
    const mine = 'select * from tickets where owner = @principal and id >= :from';
    const ask = await served(
      desk(
        {
          'ticket.hbs': '{{data.title}}|{{request.path}}|{{request.params.id}}|{{request.query.q}}',
          'mine.hbs':
            '{{#each data}}{{title}}{{/each}}|{{user.id}}|{{user.authenticated}}|{{#each user.scopes}}{{this}} {{/each}}',
        },
        page('/desk/{id}', 'ticket', {
          sql: 'select * from tickets where id = ?',
          params: { id: 'integer' },
          returns: 'one',
        }),
        page('/mine', 'mine', {
          sql: mine,
          params: { '@principal': 'string', from: Type.Integer({ default: 0 }) },
        }),
      ),
    );
    expect((await ask('/desk/2?q=%3Ca%3E')).text).toBe('Mouse|/desk/2|2|&lt;a&gt;');
    expect(JSON.parse((await ask('/desk/9')).text)).toMatchObject({
      status: 404,
      detail: 'there is no such row',
    });
    expect((await ask('/desk/007')).status).toBe(422);
    expect((await ask('/mine')).status).toBe(401);
    expect((await ask('/mine?principal=shop', as(secrets.OTHER_KEY))).text).toBe('Mouse|other|true|');
    expect((await ask('/mine?from=1', as(secrets.SHOP_KEY))).text).toBe(
      '&lt;b&gt;Printer&lt;/b&gt;|shop|true|svc:admin desk ',
    );
    expect((await ask('/mine?from=2', as(secrets.SHOP_KEY))).text).toBe('|shop|true|svc:admin desk ');
  });

  it('show what a handler returns', async () => {
    verifies(
      'declare.page-handler',
      'declare.page-handler.status.default',
      'declare.page-handler.scopes.default',
    );
    const ask = await served(
      desk(
        { 'sum.hbs': '{{sum}} {{user.id}}', 'fails.hbs': '{{#each list}}{{name}}{{/each}}' },
        pageHandler(
          '/sum',
          'sum',
          { input: { a: Type.Integer(), b: Type.Integer({ default: 1 }) } },
          ({ a, b }) => ({ sum: a + b }),
        ),
        pageHandler('/fails', 'fails', {}, () => ({
          get list(): never {
            throw new Error('the cause');
          },
        })),
      ),
    );
    expect(await ask('/sum?a=2')).toMatchObject({ status: 200, text: '3 anonymous' });
    expect((await ask('/sum?a=x')).status).toBe(422);
    const failed = await ask('/fails');
    expect(JSON.parse(failed.text)).toMatchObject({ status: 500, detail: 'internal error' });
  });

  it('use the partials beside them', async () => {
    verifies('page.partials');
    const files = {
      'a.hbs': '{{#> frame}}{{> desk/foot}}{{/frame}}',
      'partials/frame.hbs': '<main>{{> @partial-block}}</main>',
      'partials/desk/foot.hbs': 'foot',
    };
    const ask = await served(desk(files, page('/a', 'a')));
    expect((await ask('/a')).text).toBe('<main>foot</main>');
  });

  it('read no template once they are served', async () => {
    verifies('page.precompiled');
    const folder = newFolder();
    writeFileSync(join(folder, 'a.hbs'), 'old');
    const app = deskOver(folder, page('/a', 'a'));
    const ask = await served(app);
    rmSync(join(folder, 'a.hbs'));
    expect((await ask('/a')).text).toBe('old');
  });

  it('are no tools, not in the client, and described as HTML', async () => {
    verifies('page.no-tools', 'page.openapi');
    const app = desk(
      { 'a.hbs': '' },
      page('/a', 'a', { status: 203, summary: 'Shows a.' }),
      pageHandler('/b', 'a', {}, () => ({})),
    );
    const ask = await served(app);
    const { paths } = JSON.parse((await ask('/_svc/openapi.json', as(secrets.SHOP_KEY))).text);
    expect(paths['/a'].get).toMatchObject({
      summary: 'Shows a.',
      responses: { 203: { content: { 'text/html': { schema: { type: 'string' } } } } },
    });
    expect(paths['/b'].get.responses[200].content).toEqual({ 'text/html': { schema: { type: 'string' } } });
    const { routes } = JSON.parse((await ask('/_svc/routes', as(secrets.SHOP_KEY))).text);
    expect(routes).toContainEqual(
      expect.objectContaining({
        method: 'GET',
        path: '/a',
        engine: 'page',
        tool: null,
        scopes: [],
        approval: 'never',
      }),
    );
    expect((await ask('/_svc/tools', as(secrets.SHOP_KEY))).text).not.toMatch(/get_[ab]\b/);
    const client = toClient(app.table, { title: 'shop' });
    expect(client).toContain('listTickets');
    expect(client).not.toMatch(/getA\b|getB\b/);
  });
});

describe('pages that are wrong', () => {
  const failing = async (files: Files, options: PageOptions = {}) => {
    const error: unknown = await desk(files, page('/a', 'a', options))
      .listen()
      .then(
        (running) => running.close(),
        (reason: unknown) => reason,
      );
    return error instanceof DeclarationError
      ? error.problems.map(({ code, at, rule }) => `${code} ${at?.split('/').at(-1)}: ${rule}`)
      : error;
  };

  it('keep the application from starting', async () => {
    verifies('boot.templates', 'declare.page.exclusive', 'page.reads-only');
    expect(await failing({ 'a.hbs': 'x\n{{#if y}}' })).toEqual([
      'template-syntax a.hbs:2: it ends before everything in it is closed',
    ]);
    expect(await failing({ 'a.hbs': '' }, { sql, data: 1 })).toEqual([
      expect.stringMatching(/^page-source pages\.test\.ts:\d+: it has sql and data/),
    ]);
    expect(await failing({ 'a.hbs': '' }, { sql: 'select titel from tickets' })).toEqual([
      expect.stringMatching(/^page-sql pages\.test\.ts:\d+: its SQL does not run: .*titel/),
    ]);
    expect(await failing({ 'a.hbs': '' }, { sql: 'delete from tickets' })).toEqual([
      expect.stringMatching(/^page-sql pages\.test\.ts:\d+: its SQL does not only read/),
    ]);
  });

  it('are warned about where they escape nothing', async () => {
    verifies('page.triple-braces');
    const app = desk({ 'a.hbs': '{{{data}}}' }, page('/a', 'a', { data: '<b>' }));
    expect(app.check()).toMatchObject([
      { code: 'template-raw', severity: 'warning', at: expect.stringMatching(/a\.hbs:1$/) },
    ]);
    expect((await (await served(app))('/a')).text).toBe('<b>');
  });
});
