import {
  createRouteTable,
  HTTPError,
  type Json,
  type Progress,
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
  RouteResponse,
  toErrorResponse,
} from '@waymark/contract/engine';
import type { ModelClient } from '@waymark/contract/models';
import { holds, type Principal, scopeRefusal } from '@waymark/contract/principal';
import { validateValue } from '@waymark/contract/schema';
import { type TestHost, testHost, toEnd } from '@waymark/contract/testing';
import { type AgentsDeclaration, createAgents } from '../../src/index.ts';
import { MemoryRunner } from './memory-runner.ts';

/** Somebody with every scope that the tests use. */
export const ann: Principal = {
  id: 'ann',
  rootId: 'ann',
  authenticated: true,
  scopes: ['read', 'write', 'start', 'other'],
};

/** Agents at work in memory, behind a dispatcher that keeps to the contract's order. */
export interface Desk {
  readonly table: RouteTable;
  readonly runner: MemoryRunner;
  readonly host: TestHost;
  readonly plugin: Plugin;
  /** What was told on the way, oldest first. */
  readonly told: readonly Progress[];
  /** Calls a route by its name as a door does. */
  ask(route: string, values: Values, more?: Partial<Call>): Promise<RouteResponse>;
  /** The same, and its JSON. */
  run(route: string, values: Values | string, more?: Partial<Call>): Promise<Result>;
}

/** The result of an agent, as its route answers it. */
export type Result = {
  readonly run_id: string;
  readonly status: string;
  readonly output: string;
  readonly path: readonly string[];
  readonly agent: string;
  readonly steps: readonly { readonly kind: string; readonly [member: string]: Json }[];
  readonly usage: { readonly [member: string]: number | null };
  readonly session_id?: string;
  readonly pending_approvals?: readonly { readonly [member: string]: Json }[];
};

/** @param models what agents think with */
export async function openDesk(
  declarations: readonly AgentsDeclaration[],
  models: ModelClient,
  { routes = [], ...host }: { readonly routes?: readonly Route[] } & Partial<TestHost> = {},
): Promise<Desk> {
  const runner = new MemoryRunner();
  const plugin = createAgents(declarations);
  const table = createRouteTable([...routes, ...plugin.routes]).freeze();
  const dispatcher = toDispatcher(table, runner);
  const made = testHost({ table, dispatcher, runner, models, ...host });
  await plugin.start?.(made);
  const told: Progress[] = [];
  const ask: Desk['ask'] = async (name, values, more = {}) => {
    const route = table.get(name);
    if (!route) throw new Error(`no route ${name}`);
    return dispatcher.dispatch({
      ...{ route, input: { by: 'arguments', values }, principal: ann, via: 'http', requestId: 'r1' },
      observe: (progress) => void told.push(progress),
      ...more,
    });
  };
  return {
    ...{ table, runner, host: made, plugin, told, ask },
    async run(name, values, more) {
      const response = await ask(name, typeof values === 'string' ? { input: values } : values, more);
      return bodyOf(response) as unknown as Result;
    },
  };
}

/** What a response holds. */
export function bodyOf({ body }: RouteResponse): { readonly [member: string]: Json } {
  if (body.kind === 'json') return JSON.parse(body.text) as { readonly [member: string]: Json };
  if (body.kind === 'problem') return { ...body } as unknown as { readonly [member: string]: Json };
  throw new Error(`a body of kind ${body.kind}`);
}

function toDispatcher(table: RouteTable, runner: MemoryRunner): Dispatcher {
  const dispatcher: Dispatcher = {
    async dispatch(call) {
      try {
        return await answer(call, table, dispatcher, runner);
      } catch (error) {
        return toErrorResponse(error);
      }
    },
    upgrade: () => Promise.reject(new Error('no sockets here')),
  };
  return dispatcher;
}

/** Scopes, validation, gate, begin, engine: in the contract's order. */
async function answer(
  call: Call,
  table: RouteTable,
  dispatcher: Dispatcher,
  runner: MemoryRunner,
): Promise<RouteResponse> {
  const { route, principal, step, via } = call;
  if (!holds(principal, route.scopes)) throw scopeRefusal(principal, route.scopes);
  const values = call.input.by === 'arguments' ? call.input.values : {};
  const errors = validateValue(route.inputSchema, values);
  const [first] = errors;
  if (first) throw new HTTPError(422, `${first.path} ${first.message}`, { errors });
  if (route.approval === 'required' && via !== 'http') {
    const decision = await step?.gate({ tool: route.name, arguments: values as Json, approver: {} });
    if (!decision?.approved)
      throw new HTTPError(403, decision?.note || 'the call was declined', { code: decision?.reason ?? '' });
  }
  await step?.begin();
  const value = await route.engine.answer?.(toContext(call, values, table, dispatcher, runner));
  if (value instanceof RouteResponse) return value;
  if (value instanceof Reply) return jsonResponse(value.body, value.status, value.headers);
  return jsonResponse(value);
}

function toContext(
  call: Call,
  input: Values,
  table: RouteTable,
  dispatcher: Dispatcher,
  runner: MemoryRunner,
): EngineContext {
  const { route, principal, via, requestId, step, observe } = call;
  const { id, rootId, authenticated, scopes } = principal;
  const headers = call.input.by === 'request' ? call.input.headers : {};
  const request = {
    id: requestId,
    path: route.path,
    headers,
    user: { id, root_id: rootId, authenticated, scopes },
  };
  return {
    ...{ route, principal, via, requestId, input, step, table, dispatcher },
    ended: call.resume?.ended ?? false,
    clientAddress: undefined,
    deadlineMs: call.deadlineMs ?? 60_000,
    signal: call.signal ?? new AbortController().signal,
    // What agents and tools of the tests look at.
    request: request as unknown as EngineContext['request'],
    body: undefined as unknown as EngineContext['body'],
    log: () => {},
    observe: observe ?? (() => {}),
    room: () => undefined,
    charge: () => {},
    inTurns: async (pieces) => toEnd(pieces),
    hold: () => ({ more: () => undefined, release: () => {} }),
    parse: (text) => JSON.parse(text) as unknown,
    cancelRun: () => Promise.reject(new Error('not here')),
    openRun: (spec, body) => runner.open(spec, call, input, body),
    readRun: (rootId, name) => runner.read(rootId, name),
    followRun: (rootId, name, lastSeq) => runner.follow(rootId, name, lastSeq),
  };
}
