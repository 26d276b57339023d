import { type Json, Type } from '@waymark/contract';
import { validateValue } from '@waymark/contract/schema';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { flow } from '../src/index.ts';
import { bodyOf, openDesk } from './desk/open-desk.ts';
import { toolBench } from './desk/tools.ts';

async function list() {
  const desk = await openDesk(
    [
      flow('chain', { pipeline: ['one', { tool: 'two', input: { id: '$.id' } }] }),
      flow('wide', {
        ...{ parallel: ['one', 'two'], merge: 'merge', description: 'Looks everywhere.' },
        ...{ scopes: ['read'], exposeScopes: ['start'], tokenBudget: 5_000, exposeAt: '/look', tool: false },
        inputSchema: { id: Type.Integer() },
      }),
      flow('triage', { route: { billing: 'one', other: 'two' }, public: true }),
      flow('sorted', {
        ...{ route: { billing: 'one' }, default: { tool: 'two', input: {} } },
        ...{ classifyWith: 'smart', classifyPrompt: 'Which of {labels}?' },
      }),
    ],
    { routes: toolBench({ one: 1, two: 2 }).routes },
  );
  const route = desk.table.get('get_svc_flows')!;
  const body = bodyOf(await desk.ask(route.name));
  return { route, body, rows: body['flows'] as readonly { readonly [member: string]: Json }[] };
}

describe('the listing of flows', () => {
  it('has a row for each, in the names of the option table', async () => {
    verifies('control.flows', 'listing.flows.members');
    const { route, body, rows } = await list();
    expect(route).toMatchObject({ plane: 'control', path: '/flows', tool: false });
    expect(validateValue(route.output[200]!, body)).toEqual([]);
    expect(rows.map(({ name }) => name)).toEqual(['chain', 'wide', 'triage', 'sorted']);
    expect(rows[0]).toEqual({
      ...{ name: 'chain', description: '', scopes: [], expose_scopes: [], token_budget: null },
      kind: { kind: 'pipeline', steps: [{ tool: 'one' }, { tool: 'two', input: { id: '$.id' } }] },
      ...{ expose_at: '/flows/chain', tool: true, input_schema: null, public: false },
    });
    expect(rows[1]).toEqual({
      ...{ name: 'wide', description: 'Looks everywhere.', scopes: ['read'], expose_scopes: ['start'] },
      kind: { kind: 'parallel', branches: [{ tool: 'one' }, { tool: 'two' }], merge: 'merge' },
      ...{ token_budget: 5_000, expose_at: '/look', tool: false, public: false },
      input_schema: expect.objectContaining({ properties: { id: { type: 'integer' } } }) as unknown,
    });
  });

  it('shows the labels of those that route, and how they choose', async () => {
    const { rows } = await list();
    expect(rows[2]).toMatchObject({
      kind: {
        ...{ kind: 'route', routes: { billing: { tool: 'one' }, other: { tool: 'two' } } },
        ...{ default: null, classify_with: 'fast', classify_prompt: null },
      },
      public: true,
    });
    expect(rows[3]?.['kind']).toEqual({
      ...{ kind: 'route', routes: { billing: { tool: 'one' } }, default: { tool: 'two', input: {} } },
      ...{ classify_with: 'smart', classify_prompt: 'Which of {labels}?' },
    });
  });
});
