import { toClient } from '@waymark/client-gen';
import { Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { withCompiledClient } from './compiled-client.ts';
import { post } from './mcp/messages.ts';
import { type ServedSql, servedSql, servedSqlFile } from './sql-served.ts';

const parcels = (app: Application) =>
  app.resource(
    'parcels',
    { label: 'string', grams: Type.Integer({ minimum: 1 }), note: Type.Optional(Type.String()) },
    { tools: true },
  );

/** 201 rows at once: one more than any list has. */
const many = (app: Application) =>
  app.query(
    'POST',
    '/many',
    `insert into parcels (label, grams)
      select case when value % 2 then 'odd & "ä"' else 'even' end, value from json_each(:numbers)`,
    {
      params: {
        numbers: Type.Array(Type.Integer(), { default: Array.from({ length: 201 }, (_, i) => i + 1) }),
      },
      returns: 'affected',
    },
  );

/** One call of each tool, and what came back as data. */
async function useTools({ call }: ServedSql) {
  const text = async (name: string, values: object): Promise<unknown> => {
    const { content, isError } = await call(name, values);
    const [first] = content;
    return isError ? first?.text : JSON.parse(first?.text ?? '');
  };
  return {
    created: await text('create_parcels', { label: 'by tool', grams: 5 }),
    changed: await text('update_parcels', { id: 1, note: 'fragile' }),
    got: await text('get_parcels', { id: 1 }),
    listed: await text('list_parcels', { note: 'fragile' }),
    deleted: await text('delete_parcels', { id: 1 }),
    gone: await text('get_parcels', { id: 1 }),
  };
}

/** A program that does the same with the generated client: it compiles only if arguments and results are typed. */
const program = `import { createClient, ProblemError } from './client.ts';

export async function use(baseUrl: string): Promise<unknown> {
  const shop = createClient({ baseUrl });
  const created = await shop.createParcels({ label: 'by client', grams: 7 });
  const id: number = created.id;
  const label: string = created.label;
  const note: string | null = created.note;
  const changed = await shop.updateParcels({ id, note: 'fragile' });
  const listed = await shop.listParcels({ note: 'fragile', sort: '-id', limit: 1 });
  const got = await shop.getParcels({ id });
  const deleted: unknown = await shop.deleteParcels({ id });
  // @ts-expect-error grams are a number
  const refused = await shop.createParcels({ label, grams: 'seven' }).catch((error: unknown) => error);
  // @ts-expect-error a label is needed
  await shop.createParcels({ grams: 1 }).catch(() => undefined);
  return {
    ...{ note, changed, listed, got, deleted },
    refused: refused instanceof ProblemError ? refused.status : refused,
  };
}
`;

describe('a resource declared in five lines', () => {
  it('is five routes, five tools, five operations and five typed methods, over one file', async () => {
    verifies(
      'declare.resource',
      'endpoint.resource.five',
      'endpoint.resource.tools',
      'purpose.route.all-four',
    );
    const served = await servedSql(parcels);
    const { send, running, app } = served;

    const { routes } = (await send('GET', '/_svc/routes')).value as {
      readonly routes: readonly Record<string, unknown>[];
    };
    expect(
      routes
        .filter(({ engine }) => engine === 'resource')
        .map(({ method, path, tool }) => [method, path, tool].join(' ')),
    ).toEqual([
      'GET /parcels list_parcels',
      'GET /parcels/{id} get_parcels',
      'POST /parcels create_parcels',
      'PATCH /parcels/{id} update_parcels',
      'DELETE /parcels/{id} delete_parcels',
    ]);

    const openapi = (await send('GET', '/_svc/openapi.json')).value as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
    };
    const operations = ['/parcels', '/parcels/{id}'].flatMap((path) =>
      Object.values(openapi.paths[path] ?? {}).flatMap(({ operationId = [] }) => operationId),
    );
    expect(operations.toSorted()).toEqual([
      'create_parcels',
      'delete_parcels',
      'get_parcels',
      'list_parcels',
      'update_parcels',
    ]);

    const listed = (await post(running, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).json as {
      readonly result: { readonly tools: readonly { readonly name: string }[] };
    };
    expect(listed.result.tools.map(({ name }) => name).toSorted()).toEqual(operations.toSorted());
    const row = { id: 1, label: 'by tool', grams: 5, note: null };
    expect(await useTools(served)).toEqual({
      created: row,
      changed: { ...row, note: 'fragile' },
      got: { ...row, note: 'fragile' },
      listed: [{ ...row, note: 'fragile' }],
      deleted: null,
      gone: 'tool get_parcels failed with 404: parcels has no row with the id 1',
    });

    const source = toClient(app.table, { title: 'shop' });
    const used = await withCompiledClient(
      source,
      program,
      ({ use }: { use(url: string): Promise<unknown> }) => use(running.url),
    );
    const second = { id: 2, label: 'by client', grams: 7, note: 'fragile' };
    expect(used).toEqual({
      ...{ note: null, changed: second, listed: [second], got: second, deleted: undefined },
      refused: 422,
    });
  });

  it('keeps its rows in the file: another server over it finds them', async () => {
    const first = await servedSql(parcels);
    await first.send('POST', '/parcels', { body: { label: 'kept', grams: 1 } });
    await first.running.close();
    const second = await servedSqlFile(first.file, parcels);
    expect((await second.send('GET', '/parcels')).value).toEqual([
      { id: 1, label: 'kept', grams: 1, note: null },
    ]);
  });

  it('clamps what a list gives, and as a tool says in words that there is more', async () => {
    verifies('resource.list.limit.max', 'resource.list.tool-more');
    const { send, call } = await servedSql(parcels, many);
    expect((await send('POST', '/many')).value).toMatchObject({ affected: 201 });
    const listed = async (query: string) => (await send('GET', `/parcels${query}`)).value as unknown[];
    expect([(await listed('')).length, (await listed('?limit=200')).length]).toEqual([50, 200]);
    expect([(await listed('?limit=201')).length, (await listed('?limit=999999')).length]).toEqual([200, 200]);

    const all = await call('list_parcels', { limit: 1000 });
    expect(all.content[1]).toEqual({
      type: 'text',
      text: 'There is more: call list_parcels again with limit=200, offset=200.',
    });
    expect(all.structuredContent?.result).toHaveLength(200);
    const odd = await call('list_parcels', { label: 'odd & "ä"', limit: 100 });
    expect(odd.content[1]?.text).toBe('There is more: call list_parcels again with offset=100.');
    const rest = await call('list_parcels', { label: 'odd & "ä"', limit: 100, offset: 100 });
    expect(rest.content).toHaveLength(1);
    expect(rest.structuredContent?.result).toHaveLength(1);
  });
});
