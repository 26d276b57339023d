import { verifies } from '@waymark/contract/testing';
import { createApplication, type RunningApplication, Type } from '@waymark/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixture } from '../conformance/fixture.ts';
import { type Endpoint, error, legacy, post, postModern } from './mcp/messages.ts';
import { serve } from './served.ts';

interface Page {
  readonly tools: readonly { readonly name: string }[];
  readonly nextCursor?: string;
  readonly ttlMs?: number;
  readonly cacheScope?: string;
}

const namesOf = ({ tools }: Page): readonly string[] => tools.map(({ name }) => name);

async function list(endpoint: Endpoint, cursor?: string): Promise<Page> {
  const { json } = await post(endpoint, legacy('tools/list', cursor === undefined ? {} : { cursor }));
  return (json as { result: Page }).result;
}

/** Tools that are open, and tools behind a scope of their own, in turn. */
async function serveTools(count: number): Promise<RunningApplication> {
  const keys = {
    ALL: 'the-key-of-all-callers',
    HALF: 'the-key-of-half-of-them',
    NONE: 'the-key-of-no-scopes',
  };
  const app = createApplication('lists', { port: 0, env: { LOG_LEVEL: 'silent', ...keys } });
  app.apiKey('ALL', 'all', { scopes: ['svc:admin', 'odd', 'even'] });
  app.apiKey('HALF', 'half', { scopes: ['svc:admin', 'odd'] });
  app.apiKey('NONE', 'none', { scopes: ['svc:admin'] });
  for (let n = 0; n < count; n++)
    app.get(
      `/things/${n}`,
      {
        tool: true,
        toolName: `thing_${n}`,
        scopes: [n % 2 === 0 ? 'even' : 'odd'],
        input: { n: Type.Integer() },
      },
      () => n,
    );
  return serve(app);
}

describe('the list of tools', () => {
  it.each([
    [999, [999]],
    [1000, [1000]],
    [1001, [1000, 1]],
    [2500, [1000, 1000, 500]],
  ])('of %i tools has pages of %j', async (count, sizes) => {
    const { port } = await serveTools(count);
    const endpoint = { port, key: 'the-key-of-all-callers' };
    const pages: Page[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(endpoint, cursor);
      pages.push(page);
      cursor = page.nextCursor;
    } while (cursor !== undefined && pages.length < 10);
    expect(pages.map(({ tools }) => tools.length)).toEqual(sizes);
    expect(pages.flatMap(namesOf)).toEqual(Array.from({ length: count }, (_, n) => `thing_${n}`));
  });

  it('gives the same page for the same cursor, on every revision', async () => {
    const { port } = await serveTools(1001);
    const endpoint = { port, key: 'the-key-of-all-callers' };
    const { nextCursor = '' } = await list(endpoint);
    const once = await list(endpoint, nextCursor);
    expect(await list(endpoint, nextCursor)).toEqual(once);
    const { json } = await postModern(endpoint, 'tools/list', { cursor: nextCursor });
    expect(json).toMatchObject({ result: { tools: [{ name: 'thing_1000' }] } });
  });

  it('refuses a cursor that it never gave', async () => {
    const { port } = await serveTools(1001);
    const endpoint = { port, key: 'the-key-of-all-callers' };
    const { nextCursor = '' } = await list(endpoint);
    for (const cursor of ['', '0', 'x', '1000', `${nextCursor}x`, nextCursor.slice(1), 7, null, {}]) {
      const { json } = await post(endpoint, legacy('tools/list', { cursor }));
      expect([cursor, json]).toMatchObject([cursor, { id: 1, ...error(-32602) }]);
      expect((await postModern(endpoint, 'tools/list', { cursor })).json).toMatchObject(error(-32602));
    }
  });

  it('gives nobody a tool of somebody else, however often and in whatever order they ask', async () => {
    verifies('mcp.list.filtered-by-scopes');
    const { port } = await serveTools(6);
    const expected = new Map([
      ['the-key-of-all-callers', ['thing_0', 'thing_1', 'thing_2', 'thing_3', 'thing_4', 'thing_5']],
      ['the-key-of-half-of-them', ['thing_1', 'thing_3', 'thing_5']],
      ['the-key-of-no-scopes', []],
    ]);
    for (let round = 0; round < 3; round++)
      for (const [key, names] of expected) {
        expect(namesOf(await list({ port, key }))).toEqual(names);
        const { json } = await postModern({ port, key }, 'tools/list');
        expect(namesOf((json as { result: Page }).result)).toEqual(names);
      }
  });

  it('may be narrowed to some tools, in the address, and so are the calls', async () => {
    const { url } = await serveTools(6);
    const ask = async (tools: string, message: unknown): Promise<unknown> => {
      const headers = { 'content-type': 'application/json', 'x-api-key': 'the-key-of-half-of-them' };
      const target = new URL(`/_svc/mcp?tools=${tools}`, url);
      const answer = await fetch(target, { method: 'POST', headers, body: JSON.stringify(message) });
      return answer.json();
    };
    // In the order of declaration; another caller's tool and one that nobody has change nothing.
    expect(await ask('thing_3,thing_1,thing_0,none', legacy('tools/list'))).toMatchObject({
      result: { tools: [{ name: 'thing_1' }, { name: 'thing_3' }] },
    });
    const call = (name: string) => legacy('tools/call', { name, arguments: { n: 1 } });
    expect(await ask('thing_3', call('thing_3'))).toMatchObject({ result: { content: [{ text: '3' }] } });
    expect(await ask('thing_3', call('thing_1'))).toMatchObject(error(-32602));
  });

  it('is not given whole to whoever misspells that', async () => {
    const { url } = await serveTools(2);
    const ask = (query: string): Promise<Response> =>
      fetch(new URL(`/_svc/mcp?${query}`, url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': 'the-key-of-half-of-them' },
        body: JSON.stringify(legacy('tools/list')),
      });
    for (const slip of ['tool', 'Tools', 'tolls']) {
      const answer = await ask(`${slip}=thing_1`);
      expect(answer.status).toBe(422);
      expect(await answer.json()).toMatchObject({ detail: `/${slip} is not known (did you mean "tools"?)` });
    }
    // Hosts and proxies add names of their own.
    expect((await ask('utm_source=host')).status).toBe(200);
  });

  it('may not be shared between callers where they differ, and may where there is but one kind', async () => {
    const { port } = await serveTools(2);
    const open = await serve(createFixture());
    const hints = async (endpoint: Endpoint): Promise<readonly unknown[]> => {
      const { json } = await postModern(endpoint, 'tools/list');
      const { ttlMs, cacheScope } = (json as { result: Page }).result;
      expect(ttlMs).toSatisfy((ms) => Number.isInteger(ms) && ms >= 0);
      return [cacheScope];
    };
    expect(await hints({ port, key: 'the-key-of-half-of-them' })).toEqual(['private']);
    expect(await hints(open)).toEqual(['public']);
  });
});

describe('a schema that is given as it is', () => {
  let open: RunningApplication;
  beforeAll(async () => {
    open = await createFixture().listen();
  });
  afterAll(() => open.close());

  it('arrives with every keyword, and holds for the arguments', async () => {
    const { tools } = await list(open);
    const { inputSchema } = tools.find(({ name }) => name === 'json_schema_2020_12_tool') as unknown as {
      inputSchema: Readonly<Record<string, unknown>>;
    };
    expect(Object.keys(inputSchema)).toEqual(
      expect.arrayContaining(['$schema', '$defs', 'allOf', 'if', 'then', 'else', 'additionalProperties']),
    );
    const call = async (values: object): Promise<unknown> =>
      (await post(open, legacy('tools/call', { name: 'json_schema_2020_12_tool', arguments: values }))).json;
    expect(await call({ contactMethod: 'phone', phone: '1' })).toMatchObject({ result: { isError: false } });
    expect(await call({ contactMethod: 'phone', email: 'a@b' })).toMatchObject({ result: { isError: true } });
  });
});
