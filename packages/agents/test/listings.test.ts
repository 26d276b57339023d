import type { Json } from '@waymark/contract';
import { validateValue } from '@waymark/contract/schema';
import { scriptedModel, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { agent, context } from '../src/index.ts';
import { bodyOf, openDesk } from './desk/open-desk.ts';

async function list(name: 'agents' | 'contexts') {
  const desk = await openDesk(
    [
      agent('support', {
        system: 'A secret prompt.',
        context: ['facts'],
        scopes: ['read'],
        tokenBudget: 5_000,
      }),
      agent('bare'),
      context('facts', { data: 'A secret fact.', description: 'Facts.' }),
      context('now', () => 1, { maxChars: 10 }),
      context('mine', { sql: 'select 1', params: [], returns: 'one' }),
    ],
    scriptedModel([]),
    {
      database: {
        many: async () => [],
        check: async () => ({ ok: true, reads: true, parameters: [], columns: [] }),
      },
    },
  );
  const route = desk.table.get(`get_svc_${name}`)!;
  const body = bodyOf(await desk.ask(route.name, {}));
  return { route, body, rows: body[name] as readonly { readonly [member: string]: Json }[] };
}

describe('the listing of agents', () => {
  it('has a row for each, in the names of the option table', async () => {
    verifies('control.agents', 'listing.agents.members');
    const { route, body, rows } = await list('agents');
    expect(route).toMatchObject({ plane: 'control', path: '/agents', tool: false });
    expect(validateValue(route.output[200]!, body)).toEqual([]);
    expect(rows.map(({ name }) => name)).toEqual(['support', 'bare']);
    expect(rows[1]).toEqual({
      ...{
        name: 'bare',
        model: 'default',
        description: '',
        tools: [],
        handoffs: [],
        context: [],
        memory: null,
      },
      ...{ scopes: [], expose_scopes: [], max_steps: 12, token_budget: null, cache: true },
      ...{ tool_result_limit: 16_384, context_window: null, compact_with: 'fast', keep_recent: 6 },
      ...{ temperature: null, max_tokens: 16_000, expose_at: '/agents/bare', tool: true, max_images: 4 },
      ...{ max_input_bytes: 1_048_576, images: true },
      public: false,
    });
    expect(rows[0]).toMatchObject({ expose_scopes: ['read'], token_budget: 5_000, context: ['facts'] });
  });

  it('keeps what agents are told first to itself', async () => {
    expect(JSON.stringify((await list('agents')).body)).not.toContain('secret');
  });
});

describe('the listing of contexts', () => {
  it('has a row for each, and never what they say', async () => {
    verifies('control.contexts', 'listing.contexts.members');
    const { route, body, rows } = await list('contexts');
    expect(validateValue(route.output[200]!, body)).toEqual([]);
    expect(rows).toEqual([
      { name: 'facts', kind: 'data', description: 'Facts.', params: [], returns: 'many', max_chars: 4_000 },
      { name: 'now', kind: 'function', description: '', params: [], returns: 'many', max_chars: 10 },
      { name: 'mine', kind: 'sql', description: '', params: [], returns: 'one', max_chars: 4_000 },
    ]);
  });
});
