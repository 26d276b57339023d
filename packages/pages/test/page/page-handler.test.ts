import { HTTPError, media, reply, Type } from '@waymark/contract';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { pageHandler } from '../../src/index.ts';
import { folderOf, problemsOf, serve, textOf } from '../serve.ts';

const templates = () => folderOf({ 'ticket.hbs': '{{id}} {{title}} {{user.id}} {{request.path}}' });

describe('a page with a handler', () => {
  it('shows what the handler returns, beside the request and who asks', async () => {
    const declared = pageHandler(
      '/tickets/{id}',
      'ticket',
      { input: { id: Type.Integer() } },
      ({ id }, request) => {
        expectTypeOf(id).toEqualTypeOf<number>();
        return { id, title: `<${request.path}>`, user: 'nobody' };
      },
    );
    const { table, ask } = await serve([declared], { templates: templates() });
    const response = await ask('get_tickets_by_id', { id: 7 }, { path: '/tickets/7' });
    expect([response.status, await textOf(response)]).toEqual([
      200,
      '7 &lt;/tickets/7&gt; anonymous /tickets/7',
    ]);
    expect(response.body).toMatchObject({ mediaType: 'text/html; charset=utf-8' });
    expect([...table]).toMatchObject([{ method: 'GET', scopes: [], tool: false, engine: { kind: 'page' } }]);
    expect((await ask('get_tickets_by_id', { id: 'x' })).status).toBe(422);
  });

  it('may have another status and method, and scopes', async () => {
    const options = { status: 201, method: 'POST', scopes: ['desk'], maxBodyBytes: 9 } as const;
    const { table, ask } = await serve([pageHandler('/t', 'ticket', options, async () => ({}))], {
      templates: templates(),
    });
    expect((await ask('create_t')).status).toBe(201);
    expect([...table]).toMatchObject([{ method: 'POST', scopes: ['desk'], maxBodyBytes: 9 }]);
  });

  it('may say status and headers with a reply, and send browsers elsewhere without a body', async () => {
    const shown = pageHandler('/a', 'ticket', {}, () => reply(409, { id: 1 }, { 'x-a': 'b' }));
    const gone = pageHandler('/b', 'ticket', {}, () => reply(303, undefined, { location: '/a' }));
    const { ask } = await serve([shown, gone], { templates: templates() });
    const response = await ask('get_a');
    expect([response.status, response.headers, await textOf(response)]).toEqual([
      409,
      { 'x-a': 'b' },
      '1  anonymous /a',
    ]);
    expect(await ask('get_b')).toMatchObject({
      status: 303,
      headers: { location: '/a' },
      body: { kind: 'empty' },
    });
  });

  it('tells the document that its errors may be pages', async () => {
    const { table } = await serve([pageHandler('/a', 'ticket', {}, () => reply(404, {}))], {
      templates: templates(),
    });
    expect([...table]).toMatchObject([{ facts: { failsAs: [media('text/html')] } }]);
  });

  it('answers errors as every route does', async () => {
    const declared = pageHandler('/a', 'ticket', {}, () => {
      throw new HTTPError(403, 'not you');
    });
    const { ask } = await serve([declared], { templates: templates() });
    expect(await ask('get_a')).toMatchObject({ status: 403, body: { detail: 'not you' } });
  });

  it.each([undefined, null, 7, 'text', [1]])('fails when its handler returns %j', async (value) => {
    const declared = pageHandler(
      '/a',
      'ticket',
      {},
      () => value as unknown as object as Record<string, unknown>,
    );
    const { ask } = await serve([declared], { templates: templates() });
    await expect(ask('get_a')).rejects.toThrow('the handler of a page returned no map of names to values');
  });

  it('fails when it cannot be shown, and says in which template', async () => {
    const folder = folderOf({ 'a.hbs': '{{> b}}', 'partials/b.hbs': '{{#each list}}{{> b this}}{{/each}}' });
    const list: unknown[] = [];
    const circle = { list };
    list.push(circle);
    const { ask } = await serve([pageHandler('/a', 'a', {}, () => circle)], { templates: folder });
    const error = (await ask('get_a').catch((reason: unknown) => reason)) as Error;
    expect(error).toBeInstanceOf(RangeError);
    expect(error.stack).toContain('partials/b.hbs');
  });

  it('that is declared wrongly is a problem', () => {
    const found = (options: object, handler: unknown = () => ({})) =>
      problemsOf([pageHandler('/a', 'ticket', options, handler as () => Record<string, unknown>)], {
        templates: templates(),
      }).map(({ code, rule }) => `${code}: ${rule}`);
    expect(found({}, 'show')).toEqual(['handler-missing: has no handler']);
    expect(found({ status: 204 })).toEqual(['page-status: 204 is not the status of an answer with content']);
    expect(found({ sql: 'x' })[0]).toBe('unknown-option: unknown option "sql"');
    expect(found({ method: 'FETCH' })).toEqual(['unknown-method: unknown method "FETCH"']);
    expect(found({ input: { b: 7 } })[0]).toMatch(/^input-form: /);
  });
});
