import {
  type AuditEvent,
  createRouteTable,
  type Dispatcher,
  defineRoute,
  type Json,
  type Principal,
  type Route,
  type RouteResponse,
  type Values,
} from '@waymark/contract';
import { createDispatcher, createHost, type DispatcherOptions, startPlugins } from '@waymark/core-routes';
import { agentRoute, answerRoute, call, flowRoute, type Turn } from './trial-engines.ts';
import { TrialRunner } from './trial-runner.ts';

/** Who calls. */
export const desk: Principal = {
  id: 'desk',
  rootId: 'desk',
  authenticated: true,
  scopes: ['read', 'write', 'other'],
};
/** Who decides. */
export const human: Principal = { id: 'boss', rootId: 'boss', authenticated: true, scopes: ['svc:admin'] };

/** A table with two plain tools, one gated tool, and an agent that is `turn`, inside a flow. */
export async function createTrial(turn: Turn, options: Partial<DispatcherOptions> = {}) {
  const runner = new TrialRunner();
  const effects: Json[] = [];
  const count = (name: string) => effects.filter((one) => one === name).length;
  const lookup = defineRoute(
    'GET',
    '/lookup',
    { input: { input: { type: 'string' } }, tool: true, toolName: 'lookup', scopes: ['read'] },
    ({ input }) => {
      effects.push('lookup');
      return `${String(input)}, looked up`;
    },
  );
  const weigh = defineRoute('GET', '/weigh', { tool: true, toolName: 'weigh', scopes: ['read'] }, () => {
    effects.push('weigh');
    return 7;
  });
  // Hears no signal, as handlers do that nobody wrote for it.
  const hang = defineRoute('GET', '/hang', { tool: true, toolName: 'hang' }, () => {
    effects.push('hang');
    return new Promise<never>(() => {});
  });
  const refund = defineRoute(
    'POST',
    '/refunds',
    {
      input: { cents: { type: 'integer', minimum: 1 } },
      tool: true,
      toolName: 'refund',
      approval: 'required',
      scopes: ['write'],
      timeoutMs: 1_000,
    },
    ({ cents }, request) => {
      runner.trace.push('engine refund');
      effects.push({
        cents: cents as Json,
        user: { ...request.user },
        key: request.headers['idempotency-key'],
      });
      return { refunded: cents };
    },
  );
  const agent = agentRoute('clerk', ['read', 'write'], async (context, scope, question) => {
    await scope.op({ kind: 'model', name: 'fast', input: question, repeat: 'safe' }, async () => {
      effects.push('model');
      return { value: 'I shall refund' };
    });
    return turn(context, scope, question);
  });
  const tools = ['lookup', 'clerk'];
  const flow = flowRoute('intake', tools, ['read', 'write']);
  const events: AuditEvent[] = [];
  const table = createRouteTable([lookup, weigh, hang, refund, agent, flow, answerRoute(flow)]).freeze();
  const emit = (event: AuditEvent) => events.push(event);
  const dispatcher = createDispatcher(table, { runner, emit, ...options });
  await startPlugins([runner.plugin], createHost({ table, dispatcher, runner }));
  const refunds = () => effects.filter((one) => typeof one === 'object');
  return { runner, dispatcher, table, events, effects, count, refunds, tools, flow, agent, refund };
}

/** Two tools at once, then the one that needs a human. */
export const refundOnce: Turn = async (context, scope) => {
  const [a, b] = await Promise.all([
    call(context, scope, 'weigh', {}),
    call(context, scope, 'lookup', { input: 'b' }),
  ]);
  const result = await call(context, scope, 'refund', { cents: 500 });
  return { a: a.ok && a.value, b: b.ok && b.value, refund: result.ok ? result.value : result.message };
};

/** A direct call, as a door makes one. */
export function start(dispatcher: Dispatcher, route: Route, values: Values = {}): Promise<RouteResponse> {
  return dispatcher.dispatch({
    route,
    input: { by: 'arguments', values: { input: 'ticket 7', ...values } },
    principal: desk,
    via: 'http',
    requestId: 'r1',
  });
}

/** The value of an answer that has one. */
export function json({ body }: RouteResponse): Json {
  if (body.kind !== 'json') throw new Error(`not JSON: ${JSON.stringify(body)}`);
  return JSON.parse(body.text) as Json;
}

/** Some turns later somebody has been asked, or never will be. */
export async function untilAsked({ approvals }: TrialRunner): Promise<void> {
  for (let turn = 0; approvals.all.length === 0; turn++) {
    if (turn === 1_000) throw new Error('nobody was asked');
    await new Promise(setImmediate);
  }
}

/** The id of the one approval there is. */
export function onlyApproval({ approvals }: TrialRunner): string {
  const [only, ...more] = approvals.all;
  if (!only || more.length > 0) throw new Error(`${approvals.all.length} approvals instead of one`);
  return only.approvalId;
}
