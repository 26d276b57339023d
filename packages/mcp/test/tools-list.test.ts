import { media, type Route, Type, toTool } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { createMcp } from '../src/index.ts';
import { following, type Listed, principal, serve, standingAlone, tool, toolsOf } from './support.ts';

const listed = async (routes: readonly Route[], ...scopes: readonly string[]): Promise<readonly Listed[]> => {
  const { result } = await serve(routes).request('tools/list', {}, { principal: principal(...scopes) });
  return toolsOf(result);
};
const only = async (route: Route): Promise<Listed | undefined> => (await listed([route]))[0];

describe('tools/list', () => {
  it('shows a tool exactly as the contract describes it', async () => {
    verifies('mcp.list', 'descriptor.four-members', 'purpose.tools.projection');
    const route = tool('ring', { input: { times: Type.Integer({ default: 1 }) } });
    const shown = await only(route);
    expect(shown).toEqual(JSON.parse(JSON.stringify(toTool(route))));
    expect(Object.keys(shown ?? {})).toEqual(['name', 'description', 'inputSchema', 'annotations']);
  });

  it('marks gated tools in _meta, and no others', async () => {
    verifies('descriptor.meta');
    const [gated, plain] = await listed([tool('open', { approval: 'required' }), tool('ring')]);
    expect(gated?.['_meta']).toEqual({ 'waymark/requiresApproval': true });
    expect(plain).not.toHaveProperty('_meta');
  });

  it('shows only the tools all of whose scopes the caller holds, in the order of declaration', async () => {
    verifies(
      'mcp.list.filtered-by-scopes',
      'mcp.list.order',
      'error.mcp.scopes.absent',
      'auth.mcp.list-filtered',
    );
    const routes = [
      tool('zeta', { scopes: ['a'] }),
      tool('beta'),
      tool('alpha', { scopes: ['a', 'b'] }),
      tool('plain', { tool: false }),
      tool('gamma', { scopes: ['b'] }),
    ];
    const names = async (...scopes: readonly string[]) =>
      (await listed(routes, ...scopes)).map(({ name }) => name);
    expect(await names()).toEqual(['beta']);
    expect(await names('a')).toEqual(['zeta', 'beta']);
    expect(await names('b')).toEqual(['beta', 'gamma']);
    expect(await names('b', 'a')).toEqual(['zeta', 'beta', 'alpha', 'gamma']);
  });

  it('keeps callers apart when it is asked in turn', async () => {
    const mcp = serve([tool('ring', { scopes: ['a'] }), tool('knock', { scopes: ['b'] })]);
    for (const scope of ['a', 'b', 'a', 'b']) {
      const { result } = await mcp.request('tools/list', {}, { principal: principal(scope) });
      expect(result?.['tools']).toMatchObject([{ name: scope === 'a' ? 'ring' : 'knock' }]);
    }
  });

  it('still answers every set of scopes right when there are more of them than lists are kept', async () => {
    const routes = Array.from({ length: 40 }, (_, i) => tool(`tool_${i}`, { scopes: [`s${i}`] }));
    const mcp = serve(routes);
    for (const i of [...routes.keys(), ...routes.keys()]) {
      const { result } = await mcp.request('tools/list', {}, { principal: principal(`s${i}`) });
      expect(result?.['tools']).toMatchObject([{ name: `tool_${i}` }]);
    }
  });

  it('serialises a list once for callers who see the same tools', async () => {
    let times = 0;
    const route = {
      ...tool('ring'),
      inputSchema: { type: 'object', toJSON: () => ({ type: 'object', times: ++times }) },
    };
    const mcp = serve([route]);
    await mcp.request('tools/list', {}, { principal: principal('a') });
    const { result } = await mcp.request('tools/list', {}, { principal: principal('b') });
    expect(result?.['tools']).toMatchObject([{ inputSchema: { times: 1 } }]);
  });

  it('shows the new description of a tool that a foreign table replaced', async () => {
    let tools = [tool('ring', { summary: 'Old.' })];
    const table = { tool: () => undefined, tools: () => tools };
    const dispatcher = { dispatch: () => Promise.reject(new Error('not called')) };
    const mcp = createMcp({ info: { name: 'x', version: '1' }, table, dispatcher });
    const list = async () =>
      (
        await mcp.handle(
          { jsonrpc: '2.0', id: 1, method: 'tools/list' },
          { principal: principal(), requestId: 'r' },
        )
      ).body;
    expect(await list()).toContain('Old.');
    tools = [tool('ring', { summary: 'New.' })];
    expect(await list()).toContain('New.');
  });

  it('shows what each revision knows of a tool', async () => {
    const mcp = serve([tool('open', { approval: 'required', output: Type.Object({ id: Type.Integer() }) })]);
    const membersOn = async (revision: string) => {
      const { result } = await mcp.request('tools/list', {}, following(revision));
      return Object.keys(toolsOf(result)[0] ?? {});
    };
    const first = ['name', 'description', 'inputSchema', 'annotations'];
    const later = ['name', 'description', 'inputSchema', 'outputSchema', 'annotations', '_meta'];
    expect(await membersOn('2025-03-26')).toEqual(first);
    expect(await membersOn('2025-06-18')).toEqual(later);
    expect(await membersOn('2025-11-25')).toEqual(later);
    expect(await membersOn('2025-03-26')).toEqual(first);
  });

  it('tells only 2026-07-28 how long a list may be kept', async () => {
    const mcp = serve([tool('ring')]);
    const { message, headers } = standingAlone('tools/list');
    const standing = (await mcp.send(message, { headers })).body.result;
    expect(Object.keys(standing ?? {})).toEqual(['resultType', '_meta', 'tools', 'ttlMs', 'cacheScope']);
    const old = (await mcp.request('tools/list', {}, following('2025-11-25'))).result;
    expect(Object.keys(old ?? {})).toEqual(['tools']);
  });
});

describe('the pages of tools/list', () => {
  const many = (count: number) => serve(Array.from({ length: count }, (_, i) => tool(`tool_${i}`)));
  const pagesOf = async (count: number) => {
    const mcp = many(count);
    const pages: (readonly string[])[] = [];
    let cursor: unknown;
    do {
      const { result } = await mcp.request('tools/list', cursor === undefined ? {} : { cursor });
      pages.push(toolsOf(result).map(({ name }) => name));
      cursor = result?.['nextCursor'];
    } while (cursor !== undefined);
    return pages;
  };

  it.each([
    [0, [0]],
    [999, [999]],
    [1000, [1000]],
    [1001, [1000, 1]],
    [2000, [1000, 1000]],
  ])('of %i tools hold %j', async (count, sizes) => {
    const pages = await pagesOf(count);
    expect(pages.map(({ length }) => length)).toEqual(sizes);
    expect(pages.flat()).toEqual(Array.from({ length: count }, (_, i) => `tool_${i}`));
  });

  it('have cursors that another process understands', async () => {
    const { result } = await many(1001).request('tools/list');
    const next = await many(1001).request('tools/list', { cursor: result?.['nextCursor'] });
    expect(next.result?.['tools']).toMatchObject([{ name: 'tool_1000' }]);
  });

  it.each(['x', '', 7, null, 'dG9vbHMgMjAwMA'])(
    'are not found by a cursor never given out: %j',
    async (cursor) => {
      const { error } = await many(1001).request('tools/list', { cursor });
      expect(error).toEqual({ code: -32602, message: 'unknown cursor' });
    },
  );
});

describe('a client that wants only some tools', () => {
  const mcp = serve([tool('ring'), tool('knock'), tool('open', { scopes: ['door:open'] }), tool('wave')]);
  const only = (...names: readonly string[]) => ({ tools: new Set(names) });

  it('sees those it may see, in the order of declaration, and nothing of names that are none', async () => {
    const { result } = await mcp.request('tools/list', {}, only('wave', 'ring', 'open', 'nonsense'));
    expect(result?.['tools']).toMatchObject([{ name: 'ring' }, { name: 'wave' }]);
    expect((await mcp.request('tools/list', {}, only())).result?.['tools']).toEqual([]);
    expect((await mcp.request('tools/list')).result?.['tools']).toHaveLength(3);
  });

  it('has no others to call', async () => {
    expect((await mcp.request('tools/call', { name: 'ring' }, only('ring'))).error).toBeUndefined();
    expect((await mcp.request('tools/call', { name: 'knock' }, only('ring'))).error).toEqual({
      code: -32602,
      message: 'unknown tool "knock"',
    });
  });
});

describe('the output schema of a tool', () => {
  it('is left out where no JSON output is declared', async () => {
    verifies('descriptor.output-schema');
    expect(await only(tool('ring'))).not.toHaveProperty('outputSchema');
    expect(await only(tool('ring', { output: media('image/png') }))).not.toHaveProperty('outputSchema');
  });

  it('is the declared one when that is an object', async () => {
    const shown = await only(tool('ring', { output: Type.Object({ id: Type.Integer() }) }));
    expect(shown?.['outputSchema']).toEqual({
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'integer' } },
    });
  });

  it('wraps any other as result', async () => {
    const shown = await only(tool('ring', { output: Type.Array(Type.String()) }));
    expect(shown?.['outputSchema']).toEqual({
      type: 'object',
      properties: { result: { type: 'array', items: { type: 'string' } } },
      required: ['result'],
    });
  });

  it('keeps references to definitions working inside the wrapper', async () => {
    const $defs = { Name: { type: 'string' } };
    const shown = await only(
      tool('ring', { output: { 200: { type: 'array', items: { $ref: '#/$defs/Name' }, $defs } } }),
    );
    expect(shown?.['outputSchema']).toEqual({
      type: 'object',
      properties: { result: { type: 'array', items: { $ref: '#/$defs/Name' } } },
      required: ['result'],
      $defs,
    });
    const whole = { $id: 'names', type: 'array', items: { $ref: '#/$defs/Name' }, $defs };
    expect((await only(tool('ring', { output: { 200: whole } })))?.['outputSchema']).toMatchObject({
      properties: { result: whole },
    });
  });
});
