import { defineRoute, from, Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { clientOf, type ServedSql, servedSql } from './sql-served.ts';

const docs = (app: Application) =>
  app.resource('docs', { body: 'json', size: Type.Optional(Type.Number()) }, { tools: true });

const routes = (app: Application) =>
  app.add(
    defineRoute('POST', '/open', { input: { v: Type.Unknown() }, tool: true, toolName: 'open' }, ({ v }) => ({
      v,
    })),
    defineRoute(
      'POST',
      '/whole',
      { input: { whole: from('content', Type.Unknown()) }, tool: true, toolName: 'whole' },
      (given) => given,
    ),
  );

/** Calls a tool with arguments as text: no JSON that is written holds such numbers. */
async function callRaw({ running }: ServedSql, name: string, values: string): Promise<unknown> {
  const call = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: '@' },
  });
  const { send } = clientOf(running.url);
  const headers = { accept: 'application/json, text/event-stream' };
  const { value } = await send('POST', '/_svc/mcp', { body: call.replace('"@"', values), headers });
  return (value as { readonly result?: unknown }).result;
}

const told = 'must be a number that JavaScript keeps, such as whole ones up to 2^53 (a string keeps more)';

describe('a number that would be read as another one', () => {
  it.each([
    ['1e400', '1e308'],
    ['-1e309', '-1.7976931348623157e308'],
    ['9'.repeat(309), '1e-400'],
    ['1234567890123456789', '9007199254740992'],
  ])('is refused at both doors, and named: %s', async (infinite, kept) => {
    verifies('http.body.numbers');
    const served = await servedSql(docs, routes);
    const { send } = served;
    for (const [path, tool, args, place] of [
      ['/docs', 'create_docs', (n: string) => `{"body":{"a/b":[null,${n}]}}`, '/body/a~1b/1'],
      ['/docs', 'create_docs', (n: string) => `{"body":1,"size":${n}}`, '/size'],
      ['/open', 'open', (n: string) => `{"v":${n}}`, '/v'],
    ] as const) {
      expect(await send('POST', path, { body: args(infinite) })).toMatchObject({
        status: 422,
        value: { detail: `${place} ${told}`, errors: [{ path: place, message: told }] },
      });
      expect(await callRaw(served, tool, args(infinite))).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining(`failed with 422: ${place} ${told}`) as string }],
      });
      expect((await send('POST', path, { body: args(kept) })).status).toBeLessThan(202);
      expect(await callRaw(served, tool, args(kept))).toMatchObject({ isError: false });
    }
    // A whole body is named by its input, as arguments are.
    expect((await send('POST', '/whole', { body: `[1,${infinite}]` })).value).toMatchObject({
      errors: [{ path: '/whole/1', message: told }],
    });
    expect(await callRaw(served, 'whole', `{"whole":[1,${infinite}]}`)).toMatchObject({
      content: [{ text: expect.stringContaining(`422: /whole/1 ${told}`) as string }],
    });
    expect((await send('GET', '/docs')).text).not.toContain('null]');
  });

  it('is nothing to look for, either', async () => {
    verifies('http.body.numbers');
    const { send } = await servedSql(docs);
    await send('POST', '/docs', { body: { body: null } });
    expect((await send('GET', '/docs?body=null')).value).toHaveLength(1);
    expect(await send('GET', '/docs?body=1e400')).toMatchObject({ status: 422 });
    expect(await send('GET', '/docs?body=%7B%22x%22:1e400%7D')).toMatchObject({
      status: 422,
      value: { detail: `/body/x ${told}` },
    });
  });
});
