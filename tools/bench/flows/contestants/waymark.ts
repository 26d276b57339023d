import { join } from 'node:path';
import { behaviour, createAgents } from '@waymark/agents';
import { defineRoute, Type } from '@waymark/contract';
import type { RouteResponse } from '@waymark/contract/engine';
import { createFlows, flow } from '@waymark/flows';
import { instantModel } from '../../agents/contestants/instant-model.ts';
import { openDesk } from '../../agents/contestants/open-desk.ts';
import { addOne, type Counted, type MakeWork, steps } from '../work.ts';

const scopes = ['tickets:read'];
const counted = Type.Object({ n: Type.Integer() });
const calls = Array.from({ length: steps }, () => 'add_one');

const drivers = [
  createFlows([
    flow('in_a_row', { pipeline: calls, scopes, inputSchema: { n: Type.Integer() } }),
    flow('at_once', { parallel: calls, scopes, inputSchema: { n: Type.Integer() } }),
  ]),
  createAgents([
    behaviour('in_code', { tools: ['add_one'], scopes, input: { n: Type.Integer() } }, async (ctx, { n }) => {
      let given = { n };
      // The tool's own output schema says so.
      for (let i = 0; i < steps; i++) given = (await ctx.call('add_one', given)) as Counted;
      return given.n;
    }),
  ]),
];

const addRoute = defineRoute(
  'GET',
  '/one-more',
  { tool: true, toolName: 'add_one', scopes, input: { n: Type.Integer() }, output: counted },
  addOne,
);

/** Flows and behaviours through the dispatcher; everything they do is in the journal. */
export const makeWork: MakeWork = async (folder) => {
  const { call } = await openDesk(join(folder, 'flows.db'), {
    ...{ synchronous: 'normal', models: instantModel(''), plugins: drivers, routes: [addRoute] },
  });
  return {
    pipeline: async (n) => outputOf<Counted>(await call('in_a_row', { n })).n,
    parallel: async (n) => outputOf<readonly Counted[]>(await call('at_once', { n })).map((one) => one.n),
    behaviour: async (n) => jsonOf(await call('in_code', { n })) as number,
  };
};

function outputOf<T>(response: RouteResponse): T {
  return (jsonOf(response) as { readonly output: T }).output;
}

function jsonOf({ status, body }: RouteResponse): unknown {
  if (status !== 200 || body.kind !== 'json') throw new Error(`the run ended with ${status}`);
  return JSON.parse(body.text);
}
