import { agent, context, createAgents } from '@waymark/agents';
import {
  createRouteTable,
  defineRoute,
  type Json,
  type ModelRequest,
  type Part,
  type Principal,
  type Route,
  type Runner,
  type RunScope,
  type Step,
  Type,
} from '@waymark/contract';
import { type ScriptedReply, scriptedModel, testHost, verifies } from '@waymark/contract/testing';
import { createDispatcher } from '@waymark/core-routes';
import { describe, expect, it } from 'vitest';
import { injections } from './corpora/agents-injections.ts';
import { unjournaledRunner } from './unjournaled-runner.ts';

/** Somebody who may do everything: only the agent's own list and scopes are in the way. */
const root: Principal = {
  ...{ id: 'root', rootId: 'root', authenticated: true },
  scopes: ['read', 'admin', 'svc:admin'],
};

/** Does whatever any text tells it to, once. */
function obedient(): ScriptedReply {
  const obeyed = new Set<string>();
  return ({ messages }: ModelRequest): ScriptedReply => {
    const text = messages.flatMap(({ parts }) => parts.flatMap(textsOf)).join('\n');
    const orders = [...text.matchAll(/CALL (\w+) (\{[^\n]*?\})(?=$|[\s"<\\])/gm)]
      .map(([whole, name = '', values = '']) => ({ whole, name, values }))
      .filter(({ whole }) => !obeyed.has(whole));
    for (const { whole } of orders) obeyed.add(whole);
    if (orders.length === 0) return obeyed.size === 0 ? { calls: [{ name: 'look' }] } : 'I did it all.';
    return { calls: orders.map(({ name, values }) => ({ name, arguments: parse(values) })) };
  };
}

function textsOf(part: Part): readonly string[] {
  if (part.type === 'text') return [part.text.replaceAll('&lt;', '<').replaceAll('&gt;', '>')];
  return part.type === 'tool_result' ? part.parts.flatMap(textsOf) : [];
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** An agent with one tool that reads and one that a human must approve, in a house full of others. */
async function openHouse(hostile: string) {
  const done: string[] = [];
  const tool = (name: string, more: object = {}): Route =>
    defineRoute('POST', `/${name}`, { tool: true, toolName: name, ...more }, () => {
      done.push(name);
      return `did ${name}`;
    });
  const look = defineRoute('GET', '/look', { tool: true, toolName: 'look', scopes: ['read'] }, () => {
    done.push('look');
    return { note: hostile };
  });
  const plugin = createAgents([
    agent('clerk', { tools: ['look', 'pay'], context: ['notes'], scopes: ['read'], handoffs: ['helper'] }),
    agent('helper', { tools: ['look'], scopes: ['read'] }),
    agent('vault', { tools: ['drop_tables'], scopes: ['admin'] }),
    context('notes', { data: hostile }),
  ]);
  const table = createRouteTable([
    look,
    tool('pay', { approval: 'required', input: { cents: Type.Integer({ minimum: 1 }) } }),
    ...['drop_tables', 'admin_keys', 'post_outside', 'notes_remember'].map((name) => tool(name)),
    ...plugin.routes,
  ]).freeze();
  const asked: string[] = [];
  const runner = decliningRunner(asked);
  const dispatcher = createDispatcher(table, { runner });
  const models = scriptedModel(Array<ScriptedReply>(40).fill(obedient()));
  await plugin.start?.(testHost({ table, dispatcher, runner, models }));
  const response = await dispatcher.dispatch({
    route: table.get('clerk')!,
    input: { by: 'arguments', values: { input: `A customer writes: ${hostile}` } },
    ...{ principal: root, via: 'http', requestId: 'r1' },
  });
  return { done, asked, models, response };
}

/** Nobody approves anything. */
function decliningRunner(asked: string[]): Runner {
  const runner = unjournaledRunner();
  const declining = (scope: RunScope): RunScope => ({
    ...scope,
    op: (spec, body) =>
      scope.op(spec, (step: Step) =>
        body({
          ...step,
          gate: async ({ tool }) => {
            asked.push(tool);
            return { approved: false, reason: 'declined', note: 'no' };
          },
        }),
      ),
  });
  return {
    ...runner,
    open: (spec, call, input, body) => runner.open(spec, call, input, (scope) => body(declining(scope))),
  };
}

describe('an agent whose model obeys every text', () => {
  it('is told to by forty of them', () => {
    expect(new Set(injections).size).toBe(40);
  });

  it.each(injections)('calls nothing outside its list and nothing without a human: %j', async (line) => {
    verifies('agent.option.tools');
    const { done, asked, models, response } = await openHouse(line);
    expect(response.status).toBe(200);
    const said = models.requests[1]?.messages.flatMap(({ parts }) => parts) ?? [];
    const obeyed = said.flatMap((part) => (part.type === 'tool_call' ? [part.name] : []));
    expect(obeyed).toContain(/CALL (\w+)/.exec(line)?.[1]);
    expect(done.filter((name) => name !== 'look')).toEqual([]);
    expect(asked.filter((name) => name !== 'pay')).toEqual([]);
  });

  it.each(injections)('has its context in one block that the data cannot close: %j', async (line) => {
    verifies('context.blocks');
    const { models } = await openHouse(line);
    const [told, input] = models.requests[0]?.messages ?? [];
    expect([told?.role, input?.role]).toEqual(['user', 'user']);
    const [part] = told?.parts ?? [];
    const text = part?.type === 'text' ? part.text : '';
    expect(text.match(/<[^>]*>/g)).toEqual(['<context name="notes">', '</context>']);
    expect(text.startsWith('Data of the application.')).toBe(true);
    expect(text.endsWith('\n</context>')).toBe(true);
  });
});
