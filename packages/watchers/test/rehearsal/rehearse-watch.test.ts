import { createRouteTable, Type, toRoute } from '@waymark/contract';
import { type Call, jsonResponse, type RouteResponse } from '@waymark/contract/engine';
import { testHost, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { rehearseWatch, type ShownSight, type WatchOptions, watch } from '../../src/index.ts';

const table = createRouteTable([
  toRoute(
    'POST',
    '/agents/guard',
    { kind: 'agent', durability: 'run', answer: () => undefined },
    {
      ...{ tool: true, toolName: 'guard', scopes: [], summary: 'Looks.' },
      input: { input: Type.String(), images: Type.Optional(Type.Array(Type.Unknown())) },
      facts: { startsRun: 'agent' },
    },
  ),
]).freeze();

/** A watcher that is rehearsed, and the calls that came of it. */
function rehearsed(options: Partial<WatchOptions> = {}, answer = completed) {
  const calls: Call[] = [];
  const dispatcher = {
    dispatch: async (call: Call) => {
      calls.push(call);
      return answer();
    },
    upgrade: () => Promise.reject(new Error('no socket')),
  };
  const declaration = watch('yard', { device: 'door', agent: 'guard', input: 'Who?', ...options });
  return { calls, ...rehearseWatch(declaration, testHost({ table, dispatcher })) };
}

function completed(): RouteResponse {
  return jsonResponse({ status: 'completed', output: 'Nobody.', usage: { tree_tokens: 7, cost_usd: 0.5 } });
}

function frame(text: string): NonNullable<ShownSight['frame']> {
  return { mediaType: 'image/png', bytes: new TextEncoder().encode(text) };
}

describe('rehearseWatch', () => {
  it('runs the agent as its watcher would, and tells what came of it', async () => {
    verifies('cli.watch');
    const { show, calls } = rehearsed({ scopes: ['look'] });
    const cancel = new AbortController().signal;
    expect(await show({ frame: frame('a'), telemetry: { lux: 3 } }, cancel)).toEqual({
      ...{ ran: true, status: 'completed', output: 'Nobody.', error: null },
      ...{ tokens: 7, costMicros: 500_000 },
    });
    expect(calls).toMatchObject([
      {
        route: { name: 'guard' },
        input: {
          values: { input: 'Who?\n\n{"lux":3}', images: [{ media_type: 'image/png', data: 'YQ==' }] },
        },
        principal: { id: 'watcher:yard', rootId: 'watcher:yard', authenticated: true, scopes: ['look'] },
        ...{ via: 'watcher', transient: true, cancel },
      },
    ]);
  });

  it('runs nothing where nothing changed, or there is nothing to see', async () => {
    verifies('cli.watch.change');
    const { show, calls } = rehearsed();
    const ran: boolean[] = [];
    const sights = [
      {},
      { frame: frame('a') },
      { frame: frame('a') },
      { frame: frame('b') },
      { telemetry: { b: 1, a: 2 } },
    ];
    for (const sight of [...sights, { telemetry: { a: 2, b: 1 } }]) ran.push((await show(sight)).ran);
    expect(ran).toEqual([false, true, false, true, true, false]);
    expect(calls).toHaveLength(3);
  });

  it('runs each time where a watcher does so that takes no change for granted', async () => {
    verifies('cli.watch.change');
    const { show, calls } = rehearsed({ onlyOnChange: false });
    for (const text of ['a', 'a']) await show({ frame: frame(text) });
    expect(calls).toHaveLength(2);
  });

  it('needs the agent', () => {
    verifies('cli.watch');
    expect(() => rehearsed({ agent: 'gard' })).toThrow('there is no agent "gard"');
  });
});
