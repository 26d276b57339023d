import { callTool, HTTPError, Type, toRoute, type Values } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import { narrow } from '@waymark/contract/principal';
import { byTier, verifies } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secrets } from './served.ts';
import { clientOf, servedSql } from './sql-served.ts';

/** A route that calls tools on behalf of its caller, under another id: what the run of an agent does. */
const agent = toRoute(
  'POST',
  '/agent/{tool}',
  {
    kind: 'handler',
    async answer({ table, dispatcher, principal, input, via, requestId }: EngineContext) {
      const route = table.tool(String(input['tool']));
      if (!route) throw new HTTPError(404, 'no such tool');
      const result = await callTool(dispatcher, {
        ...{ route, arguments: input['values'] as Values, via, requestId },
        principal: narrow(principal, 'agent:desk', []),
      });
      if (!result.ok) throw new HTTPError(result.status, result.message);
      return result.value;
    },
  },
  { input: { tool: Type.String(), values: Type.Record(Type.String(), Type.Unknown()) } },
);

/** Two callers with a memory each, for it is one declaration; both may use MCP. */
function household(app: Application): void {
  app.apiKey('SHOP_KEY', 'shop', { scopes: ['svc:admin'] });
  app.apiKey('OTHER_KEY', 'other', { scopes: ['svc:admin'] });
  app.memory('notes', { maxResults: 100 });
  app.query('GET', '/whose', 'select @principal as owner', {
    params: ['@principal'],
    returns: 'one',
    tool: true,
  });
  app.add(agent);
}

const owners = ['shop', 'other'] as const;
type Owner = (typeof owners)[number];
const keyOf = { shop: secrets.SHOP_KEY, other: secrets.OTHER_KEY } as const;

type Door = 'http' | 'mcp' | 'agent';
/** What came back: a value, or the status of a refusal. */
type Outcome = { readonly value: unknown } | { readonly status: number };
type Tool = 'remember' | 'recall' | 'search' | 'forget';

/** Uses a tool of the memory as somebody, through one of the three doors. */
function user({ send, call }: ReturnType<typeof clientOf>) {
  return async (owner: Owner, door: Door, tool: Tool, values: Values): Promise<Outcome> => {
    const caller = keyOf[owner];
    if (door === 'mcp') {
      const { isError, content, structuredContent } = await call(`notes_${tool}`, values, caller);
      if (isError) return { status: Number(/failed with (\d+)/.exec(content[0]?.text ?? '')?.[1]) };
      return { value: tool === 'search' ? structuredContent?.result : structuredContent };
    }
    if (door === 'agent') {
      const { status, value } = await send('POST', `/agent/notes_${tool}`, {
        ...{ body: { values }, caller },
      });
      return status < 400 ? { value } : { status };
    }
    const { key, ...rest } = values;
    const path = encodeURIComponent(String(key));
    const answer = await {
      remember: () => send('POST', '/notes/remember', { body: values, caller }),
      recall: () => send('GET', `/notes/recall/${path}`, { caller }),
      search: () =>
        send('GET', `/notes/search?${new URLSearchParams(rest as Record<string, string>).toString()}`, {
          caller,
        }),
      forget: () => send('DELETE', `/notes/forget/${path}`, { caller }),
    }[tool]();
    return answer.status < 400 ? { value: answer.value } : { status: answer.status };
  };
}

// Few words, so that entries collide; signs and operators, so that a query could escape its owner.
const words = [
  ...['apple', 'apples', 'appel', 'disk', 'owner', 'shop', 'other', 'OR', 'NOT', 'NEAR(', '"', "'", '*', '%'],
  ...['_', '--', 'owner:shop', '^', '(', '){', 'ä', '漢', '\u{1f600}', "x' or '1'='1", '" OR owner:"'],
];
const word = fc.constantFrom(...words);
const text = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
const key = fc.constantFrom('a', 'b', 'apple', '%', '_', "'", '../a', 'a/b', 'ü');
const step = fc.oneof(
  fc.record({ tool: fc.constant('remember' as const), key, value: text }),
  fc.record({ tool: fc.constant('recall' as const), key }),
  fc.record({ tool: fc.constant('forget' as const), key }),
  fc.record({ tool: fc.constant('search' as const), query: text }),
);
const steps = fc.array(
  fc.record({
    owner: fc.constantFrom(...owners),
    door: fc.constantFrom<Door[]>('http', 'mcp', 'agent'),
    step,
  }),
  { minLength: 1, maxLength: 20 },
);

describe('a memory of two callers, one of whom has an agent', () => {
  it('shows each what was kept for them, and nothing else, whatever is done in which order', {
    timeout: 120_000,
  }, async () => {
    verifies('memory.owner');
    const use = user(await servedSql(household));
    let searches = 0;
    let found = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const kept: Readonly<Record<Owner, Map<string, string>>> = { shop: new Map(), other: new Map() };
        // Every word is somewhere, so that no search comes back with nothing to cross.
        for (const owner of owners) {
          const value = `${words.join(' ')} of-${owner}`;
          await use(owner, 'agent', 'remember', { key: 'all', value });
          kept[owner].set('all', value);
        }
        for (const {
          owner,
          door,
          step: { tool, ...given },
        } of list) {
          const values: Values = given;
          // Whose it is stands in the value, so that one in the wrong hands shows.
          const tagged =
            'value' in values ? { ...values, value: `${String(values['value'])} of-${owner}` } : values;
          const outcome = await use(owner, door, tool, tagged);
          const mine = kept[owner];
          if (tool === 'remember') {
            mine.set(String(tagged['key']), String(tagged['value']));
            expect(outcome).toMatchObject({ value: { key: tagged['key'], value: tagged['value'] } });
          } else if (tool === 'search') {
            const entries = (outcome as { value: readonly { key: string; value: string }[] }).value;
            searches++;
            found += entries.length;
            for (const one of entries) expect(mine.get(one.key)).toBe(one.value);
          } else {
            const value = mine.get(String(values['key']));
            if (tool === 'forget') {
              expect(outcome).toEqual({ value: { affected: value === undefined ? 0 : 1 } });
              mine.delete(String(values['key']));
            } else if (value === undefined) expect(outcome).toEqual({ status: 404 });
            else expect(outcome).toMatchObject({ value: { value } });
          }
        }
        // Everything of one's own is found by the word it has, and is the beginning of the next list.
        for (const owner of owners) {
          const mine = kept[owner];
          const all = (await use(owner, 'http', 'search', { query: `of-${owner}` })) as { value: unknown[] };
          expect(all.value).toHaveLength(mine.size);
          for (const one of mine.keys()) await use(owner, 'http', 'forget', { key: one });
        }
      }),
      { numRuns: byTier({ quick: 8, slow: 12, drill: 25 }) },
    );
    // A search that finds nothing would cross nothing.
    expect(found).toBeGreaterThan(searches / 2);
  });

  it('is nobody’s who does not say who they are', async () => {
    verifies('aside.anonymous.no-memory');
    const { send, running } = await servedSql(household);
    const nobody = clientOf(running.url);
    for (const [method, path, body] of [
      ['POST', '/notes/remember', { key: 'a', value: 'b' }],
      ['POST', '/notes/remember', { nonsense: true }],
      ['GET', '/notes/recall/a', undefined],
      ['GET', '/notes/search?query=a', undefined],
      ['DELETE', '/notes/forget/a', undefined],
      ['GET', '/whose', undefined],
      ['POST', '/agent/notes_remember', { values: { key: 'a', value: 'b' } }],
    ] as const) {
      const answer = await nobody.send(method, path, { ...(body && { body }) });
      expect([path, answer.status]).toEqual([path, 401]);
    }
    expect((await send('GET', '/notes/search?query=b', { caller: keyOf.shop })).value).toEqual([]);
  });

  it('cannot be asked for as somebody else: no input names an owner', async () => {
    verifies('query.principal-not-supplied', 'declare.query.principal');
    const { send, call } = await servedSql(household);
    const caller = keyOf.shop;
    await send('POST', '/notes/remember', { body: { key: 'a', value: 'secret' }, caller: keyOf.other });
    for (const name of ['owner', '@principal', 'principal', 'rootId', 'root_id', 'user']) {
      const body = { key: 'a', value: 'b', [name]: 'other' };
      expect((await send('POST', '/notes/remember', { body, caller })).status).toBe(422);
      expect((await call('notes_recall', { key: 'a', [name]: 'other' }, caller)).isError).toBe(true);
      expect((await call('get_whose', { [name]: 'other' }, caller)).isError).toBe(true);
      const query = `${encodeURIComponent(name)}=other`;
      expect((await send('GET', `/notes/recall/a?${query}`, { caller })).status).toBe(404);
      expect((await send('GET', `/notes/search?query=secret&${query}`, { caller })).value).toEqual([]);
      expect((await send('GET', `/whose?${query}`, { caller })).value).toEqual({ owner: 'shop' });
    }
    const byAgent = await send('POST', '/agent/get_whose', { body: { values: {} }, caller });
    expect(byAgent.value).toEqual({ owner: 'shop' });
  });
});
