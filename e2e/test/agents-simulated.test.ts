import { agent, context, createAgents } from '@waymark/agents';
import { createRouteTable, defineRoute, image } from '@waymark/contract';
import type { RouteResponse } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';
import { testHost, verifies } from '@waymark/contract/testing';
import { createDispatcher } from '@waymark/core-routes';
import { type Simulator, startSimulator } from '@waymark/model-simulator';
import { models as aliases, createModels, provider } from '@waymark/models';
import { describe, expect, it, onTestFinished } from 'vitest';
import { unjournaledRunner } from './unjournaled-runner.ts';

const ann: Principal = { id: 'ann', rootId: 'ann', authenticated: true, scopes: ['read'] };
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Agents that think over HTTP, with models of one format. */
async function open(kind: 'openai' | 'anthropic') {
  const simulator: Simulator = await startSimulator();
  const base = kind === 'openai' ? `${simulator.url}/v1` : simulator.url;
  const { client, close } = createModels(
    [
      provider('sim', base, { kind, apiKeyEnv: 'SIM_KEY' }),
      aliases({ default: 'sim/large', fast: 'sim/small' }),
    ],
    { env: () => 'a-key', retries: 0 },
  );
  onTestFinished(async () => {
    close();
    await simulator.close();
  });
  const tickets = defineRoute(
    'GET',
    '/tickets',
    { tool: true, toolName: 'list_tickets', scopes: ['read'] },
    () => [{ id: 7, title: 'Lamp' }],
  );
  const snapshot = defineRoute('GET', '/door', { tool: true, toolName: 'door_snapshot' }, () => ({
    frame: image(png),
  }));
  const plugin = createAgents([
    agent('front', {
      ...{ system: 'You greet.', tools: ['list_tickets', 'door_snapshot', 'inner'], handoffs: ['cashier'] },
      ...{ scopes: ['read'], context: ['shop'], contextWindow: 500, keepRecent: 1 },
    }),
    agent('cashier', { system: 'You count.', description: 'Knows about money.' }),
    agent('inner', { tools: ['list_tickets'], scopes: ['read'] }),
    context('shop', { data: 'Open till six.' }),
  ]);
  const table = createRouteTable([tickets, snapshot, ...plugin.routes]).freeze();
  const runner = unjournaledRunner();
  const dispatcher = createDispatcher(table, { runner });
  await plugin.start?.(testHost({ table, dispatcher, runner, models: client }));
  const run = async (input: string, more: object = {}) => {
    const response = await dispatcher.dispatch({
      route: table.get('front')!,
      input: { by: 'arguments', values: { input, ...more } },
      ...{ principal: ann, via: 'http', requestId: 'r1' },
    });
    return jsonOf(response);
  };
  return { simulator, run };
}

function jsonOf({ body }: RouteResponse) {
  if (body.kind !== 'json') throw new Error(JSON.stringify(body));
  return JSON.parse(body.text) as { readonly status: string; readonly output: string };
}

const statuses = ({ requests }: Simulator) => requests.map(({ status }) => status);

describe.each(['openai', 'anthropic'] as const)('an agent over models of kind %s', (kind) => {
  it('calls tools until it has an answer', async () => {
    verifies('agent.option.tools');
    const { run, simulator } = await open(kind);
    const result = await run('[[call list_tickets {}]] [[echo results]]');
    expect(result.status).toBe('completed');
    expect(result.output).toContain('Lamp');
    expect(statuses(simulator)).toEqual([200, 200]);
  });

  it('reads why calls were wrong, and goes on', async () => {
    const { run, simulator } = await open(kind);
    const result = await run('[[calls no_such {}, list_tickets {"x":1}]] [[echo results]]');
    expect(result.output).toContain('is not a tool of agent');
    expect(result.output).toContain('422');
    expect(statuses(simulator)).toEqual([200, 200]);
  });

  it('sees the pictures that tools give', async () => {
    verifies('image.marker');
    const { run, simulator } = await open(kind);
    const result = await run('[[call door_snapshot {}]] [[images]]');
    expect(result.output).toMatch(/1.*image\/png/s);
    expect(statuses(simulator)).toEqual([200, 200]);
  });

  it('sees the pictures it is asked about', async () => {
    verifies('image.input.inline');
    const { run } = await open(kind);
    const images = [{ media_type: 'image/png', data: png.toString('base64') }];
    expect((await run('[[images]]', { images })).output).toMatch(/1.*image\/png/s);
  });

  it('hands over, in a conversation that the service takes', async () => {
    verifies('agent.handoff.changes');
    const { run, simulator } = await open(kind);
    const result = await run('[[handoff cashier money]] [[echo system]]');
    expect(result.output).toContain('You count.');
    expect(statuses(simulator)).toEqual([200, 200]);
  });

  it('asks another agent, and reads its output', async () => {
    verifies('agent.nested.output');
    const { run, simulator } = await open(kind);
    const result = await run(
      '[[call inner {"input":"[[call list_tickets {}]] [[say Seven.]]"}]] [[echo results]]',
    );
    expect(result.output).toContain('Seven.');
    expect(statuses(simulator)).toEqual([200, 200, 200, 200]);
  });

  it('compacts a conversation that has grown, and the service takes what is left', async () => {
    verifies('agent.compaction.trigger', 'agent.compaction.pairs');
    const { run, simulator } = await open(kind);
    const long = 'x'.repeat(2_500);
    const calls = '[[call list_tickets {}]] [[call list_tickets {}]]';
    const result = await run(`${calls} [[say Done.]] ${long}`);
    expect(result.status).toBe('completed');
    const asked = simulator.requests.map(({ body }) => (body as { readonly model: string }).model);
    expect(asked).toContain('small');
    expect(statuses(simulator).every((status) => status === 200)).toBe(true);
  });
});
