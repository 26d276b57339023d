import {
  createRouteTable,
  HTTPError,
  type Json,
  Reply,
  type Route,
  type RouteTable,
  type Values,
} from '@waymark/contract';
import {
  type Call,
  type Dispatcher,
  type EngineContext,
  jsonResponse,
  type Plugin,
  type RouteResponse,
  toErrorResponse,
} from '@waymark/contract/engine';
import type { ModelClient } from '@waymark/contract/models';
import { holds, type Principal, scopeRefusal } from '@waymark/contract/principal';
import { validateValue } from '@waymark/contract/schema';
import { scriptedModel, testHost } from '@waymark/contract/testing';
import { createFlows, type FlowDeclaration } from '../../src/index.ts';
import { MemoryRunner } from './memory-runner.ts';

/** Somebody with every scope that the tests use. */
export const ann: Principal = {
  ...{ id: 'ann', rootId: 'ann', authenticated: true },
  scopes: ['read', 'write', 'start'],
};

/** Flows at work in memory, behind a dispatcher that keeps to the contract's order. */
export interface Desk {
  readonly table: RouteTable;
  readonly runner: MemoryRunner;
  readonly plugin: Plugin;
  /** Calls a route by its name as a door does. */
  ask(route: string, values?: Values, more?: Partial<Call>): Promise<RouteResponse>;
  /** The same, and its JSON. */
  run(route: string, values?: Values, more?: Partial<Call>): Promise<Result>;
}

/** The result of a flow, as its route answers it. */
export type Result = {
  readonly flow: string;
  readonly run_id: string;
  readonly status: string;
  readonly output: Json;
  readonly steps: readonly { readonly tool: string; readonly [member: string]: Json }[];
  readonly usage: { readonly [member: string]: number | null };
};

/** Opens a desk of these flows over these tools. */
export async function openDesk(
  flows: readonly FlowDeclaration[],
  { routes = [], models = scriptedModel([]) }: { routes?: readonly Route[]; models?: ModelClient } = {},
): Promise<Desk> {
  const runner = new MemoryRunner();
  const plugin = createFlows(flows);
  const table = createRouteTable([...routes, ...plugin.routes]).freeze();
  const dispatcher: Dispatcher = {
    dispatch: (call) => answer(call, table, dispatcher, runner).catch(toErrorResponse),
    upgrade: () => Promise.reject(new Error('no sockets here')),
  };
  await plugin.start?.(testHost({ table, dispatcher, runner, models }));
  const ask: Desk['ask'] = async (name, values = {}, more = {}) => {
    const route = table.get(name);
    if (!route) throw new Error(`no route ${name}`);
    return dispatcher.dispatch({
      ...{ route, input: { by: 'arguments', values }, principal: ann, via: 'http', requestId: 'r1' },
      ...more,
    });
  };
  const run: Desk['run'] = async (name, values, more) =>
    bodyOf(await ask(name, values, more)) as unknown as Result;
  return { table, runner, plugin, ask, run };
}

/** What a response holds. */
export function bodyOf({ body }: RouteResponse): { readonly [member: string]: Json } {
  if (body.kind === 'json') return JSON.parse(body.text) as { readonly [member: string]: Json };
  if (body.kind === 'problem') return { ...body } as unknown as { readonly [member: string]: Json };
  throw new Error(`a body of kind ${body.kind}`);
}

/** Scopes, validation, begin, engine: in the contract's order. */
async function answer(
  call: Call,
  table: RouteTable,
  dispatcher: Dispatcher,
  runner: MemoryRunner,
): Promise<RouteResponse> {
  const { route, principal, step } = call;
  if (!holds(principal, route.scopes)) throw scopeRefusal(principal, route.scopes);
  const values = call.input.by === 'arguments' ? call.input.values : {};
  const errors = validateValue(route.inputSchema, values);
  const [first] = errors;
  if (first) throw new HTTPError(422, `${first.path} ${first.message}`, { errors });
  await step?.begin();
  const context = toContext(call, values, table, dispatcher, runner);
  const value = await route.engine.answer?.(context);
  if (value instanceof Reply) return jsonResponse(value.body, value.status, value.headers);
  return jsonResponse(value ?? null);
}

function toContext(
  call: Call,
  input: Values,
  table: RouteTable,
  dispatcher: Dispatcher,
  runner: MemoryRunner,
): EngineContext {
  const { route, principal, via, requestId, step } = call;
  const given = {
    ...{ route, principal, via, requestId, input, step, table, dispatcher },
    request: { path: route.path, headers: {} },
    openRun: (spec, body) => runner.open(spec, call, input, body),
  } satisfies Partial<EngineContext> | { readonly request: object };
  // What flows and the tools of the tests look at.
  return given as unknown as EngineContext;
}
