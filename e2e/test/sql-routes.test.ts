import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { createSqlRoutes, openDatabase, query, resource, type SqlDeclaration } from '@waymark/data';
import { describe, expect, it, onTestFinished } from 'vitest';
import { application, serve } from './served.ts';

/** Serves declarations over a new file, and sends requests to them. */
async function served(...declarations: readonly SqlDeclaration[]) {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-sql-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const database = await openDatabase(`sqlite://${join(folder, 'app.db')}`);
  onTestFinished(() => database.close());
  const app = application();
  app.add(createSqlRoutes(declarations, database));
  const { url } = await serve(app);
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      value: text === '' ? undefined : JSON.parse(text),
    };
  };
}

const tickets = resource(
  'tickets',
  { title: 'string', urgent: Type.Boolean({ default: false }), extra: 'json' },
  { tools: true },
);

describe('resources over HTTP', () => {
  it('answer If-None-Match on single rows, and If-Match on changes', async () => {
    verifies('resource.etag');
    const send = await served(tickets);
    const created = await send('POST', '/tickets', { title: 'Ü', extra: { a: 1 } });
    expect([created.status, created.headers.get('location')]).toEqual([201, '/tickets/1']);
    const row = await send('GET', '/tickets/1');
    const etag = row.headers.get('etag') ?? '';
    expect(etag).toBe(created.headers.get('etag'));
    expect((await send('GET', '/tickets/1', undefined, { 'if-none-match': etag })).status).toBe(304);
    expect((await send('PATCH', '/tickets/1', { title: 'b' }, { 'if-match': etag })).status).toBe(200);
    expect((await send('GET', '/tickets/1', undefined, { 'if-none-match': etag })).status).toBe(200);
    expect((await send('PATCH', '/tickets/1', { title: 'c' }, { 'if-match': etag })).value).toMatchObject({
      status: 412,
    });
    expect((await send('DELETE', '/tickets/1')).status).toBe(204);
    expect((await send('GET', '/tickets/1')).value).toMatchObject({ status: 404 });
  });

  it('refuse filters and parameters that they do not know', async () => {
    verifies('http.unknown.resource-lists');
    const send = await served(tickets);
    expect((await send('GET', '/tickets?titel=a')).value).toMatchObject({
      status: 422,
      detail: '/titel is not known (did you mean "title"?)',
    });
    for (const path of [
      '/tickets?urgent=yes',
      '/tickets?id=007',
      '/tickets?limit=0',
      '/tickets?sort=nope',
      '/tickets?extra={',
    ])
      expect((await send('GET', path)).status).toBe(422);
    expect((await send('PATCH', '/tickets/1', { id: 2 })).status).toBe(422);
    expect((await send('GET', '/tickets/9007199254740993')).status).toBe(422);
    expect((await send('GET', '/tickets/9007199254740992')).status).toBe(422);
  });

  it('lead to every row that they made, by the longest key, too', async () => {
    verifies('resource.key.length');
    const send = await served(resource('things', { id: 'string' }));
    for (const character of ['x', '%', '\u{1f600}']) {
      const id = character.repeat(256);
      const { status, headers } = await send('POST', '/things', { id });
      expect(status).toBe(201);
      expect((await send('GET', headers.get('location') ?? '')).value).toEqual({ id });
      expect((await send('POST', '/things', { id: `${id}${character}` })).status).toBe(422);
    }
  });

  it('lead from one part of a list to the next', async () => {
    const send = await served(tickets);
    for (const title of ['a', 'b', 'a', 'a']) await send('POST', '/tickets', { title, extra: null });
    const ids: number[] = [];
    let path: string | undefined = '/tickets?limit=2&title=a&urgent=false&sort=-id';
    while (path !== undefined) {
      const { value, headers } = await send('GET', path);
      ids.push(...value.map(({ id }: { id: number }) => id));
      path = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(ids).toEqual([4, 3, 1]);
  });

  it('serve queries beside them', async () => {
    const send = await served(
      tickets,
      query('GET', '/count/{title}', 'select count(*) as n from tickets where title = :title', {
        params: ['title'],
        returns: 'one',
      }),
      query('POST', '/rename', 'update tickets set title = :to where title = :from', {
        params: ['from', 'to'],
        returns: 'affected',
      }),
    );
    await send('POST', '/tickets', { title: 'ä b', extra: 1 });
    expect((await send('GET', '/count/%C3%A4%20b')).value).toEqual({ n: 1 });
    expect((await send('POST', '/rename', { from: 'ä b', to: 'c' })).value).toEqual({
      affected: 1,
      last_insert_id: null,
    });
    expect((await send('GET', '/_svc/openapi.json')).value.paths['/tickets/{id}'].patch.operationId).toBe(
      'update_tickets',
    );
    const listed = await send(
      'POST',
      '/_svc/mcp',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'list_tickets', arguments: { title: 'c' } },
      },
      { accept: 'application/json, text/event-stream' },
    );
    expect(JSON.stringify(listed.value)).toContain('structuredContent');
  });
});
