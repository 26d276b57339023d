/**
 * Walks a run through the contract: a flow calls an agent, the agent calls a tool that needs a human, everything waits
 * as rows, a decision runs the root again from its journal. Runner and drivers are the trial's own; dispatcher and host
 * are the product's.
 */
import {
  approvalRequired,
  callTool,
  createRouteTable,
  type Dispatcher,
  defineRoute,
  HTTPError,
  type Json,
  type Principal,
  type Route,
  type RouteResponse,
} from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { createDispatcher, createHost, startPlugins } from '@waymark/core-routes';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { agentRoute, call, flowRoute, type Turn } from './runs/trial-engines.ts';
import { TrialRunner } from './runs/trial-runner.ts';

const desk: Principal = {
  id: 'desk',
  rootId: 'desk',
  authenticated: true,
  scopes: ['read', 'write', 'other'],
};
const human: Principal = { id: 'boss', rootId: 'boss', authenticated: true, scopes: ['svc:admin'] };

/** Resumption needs a real `setImmediate`. */
const clockOnly = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;

afterEach(() => {
  vi.useRealTimers();
});

/** A table with two plain tools, one gated tool, and an agent that is `turn`, inside a flow. */
async function createTrial(turn: Turn, gatedTimeoutMs = 1_000) {
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
  const refund = defineRoute(
    'POST',
    '/refunds',
    {
      input: { cents: { type: 'integer', minimum: 1 } },
      tool: true,
      toolName: 'refund',
      approval: 'required',
      scopes: ['write'],
      timeoutMs: gatedTimeoutMs,
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
  const flow = flowRoute('intake', ['lookup', 'clerk'], ['read', 'write']);
  const table = createRouteTable([lookup, weigh, refund, agent, flow]).freeze();
  const dispatcher = createDispatcher(table, { runner });
  await startPlugins([runner.plugin], createHost({ table, dispatcher, runner }));
  const refunds = () => effects.filter((one) => typeof one === 'object');
  return { runner, dispatcher, table, effects, count, refunds, flow, agent, refund };
}

const refundOnce: Turn = async (context, scope) => {
  const [a, b] = await Promise.all([
    call(context, scope, 'weigh', {}),
    call(context, scope, 'lookup', { input: 'b' }),
  ]);
  const result = await call(context, scope, 'refund', { cents: 500 });
  return { a: a.ok && a.value, b: b.ok && b.value, refund: result.ok ? result.value : result.message };
};

/** A direct call, as a door makes one. */
function start(dispatcher: Dispatcher, route: Route): Promise<RouteResponse> {
  return dispatcher.dispatch({
    route,
    input: { by: 'arguments', values: { input: 'ticket 7' } },
    principal: desk,
    via: 'http',
    requestId: 'r1',
  });
}

function json({ body }: RouteResponse): Json {
  if (body.kind !== 'json') throw new Error(`not JSON: ${JSON.stringify(body)}`);
  return JSON.parse(body.text) as Json;
}

function onlyApproval({ approvals }: TrialRunner): string {
  expect(approvals.all).toHaveLength(1);
  return approvals.all[0]?.approvalId ?? '';
}

describe('a run that waits for a human', () => {
  it('answers 202 with the approval and the place of the answer', async () => {
    const { dispatcher, flow, runner } = await createTrial(refundOnce);
    const response = await start(dispatcher, flow);
    const approvalId = onlyApproval(runner);
    const runId = approvalId.split('.', 1)[0];
    expect(response.status).toBe(202);
    expect(response.headers['location']).toBe(`/flows/intake/runs/${runId}`);
    expect(json(response)).toEqual({
      run_id: runId,
      status: 'awaiting_approval',
      pending_approvals: [{ approval_id: approvalId, tool: 'refund', path: ['intake', 'clerk'] }],
    });
  });

  it('resumes with the decision and executes nothing twice', async () => {
    const { dispatcher, flow, runner, count, refunds } = await createTrial(refundOnce);
    await start(dispatcher, flow);
    const response = await runner.decide(onlyApproval(runner), { approve: true, note: 'fine', by: human });
    expect(response.status).toBe(200);
    expect(json(response)).toEqual({ a: 7, b: 'b, looked up', refund: { refunded: 500 } });
    expect({ model: count('model'), weigh: count('weigh'), lookup: count('lookup') }).toEqual({
      model: 1,
      weigh: 1,
      lookup: 2,
    });
    expect(refunds()).toHaveLength(1);
  });

  it('calls the approved tool for the one who asked, narrowed, under the key of its step', async () => {
    const { dispatcher, flow, runner, refunds } = await createTrial(refundOnce);
    await start(dispatcher, flow);
    const approvalId = onlyApproval(runner);
    await runner.decide(approvalId, { approve: true, note: '', by: human });
    expect(refunds()).toEqual([
      {
        cents: 500,
        user: { id: 'agent:clerk', root_id: 'desk', authenticated: true, scopes: ['read', 'write'] },
        key: approvalId.split(':')[0],
      },
    ]);
  });

  it('asks, marks the start, and only then runs the engine', async () => {
    const { dispatcher, flow, runner } = await createTrial(refundOnce);
    await start(dispatcher, flow);
    expect(runner.trace.at(-1)).toBe('gate refund');
    expect(runner.trace).not.toContain('begin refund');
    await runner.decide(onlyApproval(runner), { approve: true, note: '', by: human });
    expect(runner.trace.slice(-3)).toEqual(['gate refund', 'begin refund', 'engine refund']);
  });

  it('gives a refusal to the agent as the result of its call', async () => {
    const { dispatcher, flow, runner, refunds } = await createTrial(refundOnce);
    await start(dispatcher, flow);
    const response = await runner.decide(onlyApproval(runner), {
      approve: false,
      note: 'too much',
      by: human,
    });
    expect(json(response)).toMatchObject({ refund: 'too much' });
    expect(refunds()).toEqual([]);
  });

  it('refuses malformed arguments before a human is asked', async () => {
    const { dispatcher, flow, runner } = await createTrial(async (context, scope) => {
      const result = await call(context, scope, 'refund', { cents: 0 });
      return result.ok ? 'refunded' : result.status;
    });
    const response = await start(dispatcher, flow);
    expect(json(response)).toBe(422);
    expect(runner.approvals.all).toEqual([]);
  });

  it('asks for all gated calls of a turn at once and executes them in order, whatever is decided first', async () => {
    const { dispatcher, agent, runner, refunds } = await createTrial(async (context, scope) => {
      const first = call(context, scope, 'refund', { cents: 1 });
      const second = call(context, scope, 'refund', { cents: 2 }, first);
      return (await Promise.all([first, second])).map(({ status }) => status);
    });
    await start(dispatcher, agent);
    const [first = '', second = ''] = runner.approvals.all.map(({ approvalId }) => approvalId);
    const still = await runner.decide(second, { approve: true, note: '', by: human });
    expect(still.status).toBe(202);
    expect(refunds()).toEqual([]);
    expect(json(await runner.decide(first, { approve: true, note: '', by: human }))).toEqual([200, 200]);
    expect(refunds()).toMatchObject([{ cents: 1 }, { cents: 2 }]);
  });

  it('executes nothing of a turn after a no, and asks nobody about it any more', async () => {
    const { dispatcher, agent, runner, refunds } = await createTrial(async (context, scope) => {
      const first = call(context, scope, 'refund', { cents: 1 });
      const unless = first.then(({ ok }) => {
        if (!ok) throw new HTTPError(409, 'not executed: an earlier call of this turn was declined');
      });
      const second = call(context, scope, 'refund', { cents: 2 }, unless);
      return (await Promise.all([first, second])).map((result) =>
        result.ok ? result.value : result.message,
      );
    });
    await start(dispatcher, agent);
    const [first = ''] = runner.approvals.all.map(({ approvalId }) => approvalId);
    const response = await runner.decide(first, { approve: false, note: 'no', by: human });
    expect(json(response)).toEqual(['no', 'not executed: an earlier call of this turn was declined']);
    expect(runner.approvals.all.map(({ status }) => status)).toEqual(['denied', 'withdrawn']);
    expect(refunds()).toEqual([]);
  });

  it('goes on by itself when the decision comes before it is parked', async () => {
    let decided: Promise<RouteResponse> | undefined;
    const { dispatcher, agent, runner, refunds } = await createTrial(async (context, scope) => {
      const gated = call(context, scope, 'refund', { cents: 3 });
      const other = scope.op({ kind: 'value', name: 'slow', input: null, repeat: 'safe' }, async () => {
        while (runner.approvals.all.length === 0) await new Promise(setImmediate);
        decided = runner.decide(onlyApproval(runner), { approve: true, note: '', by: human });
        return { value: 'decided meanwhile' };
      });
      return [(await gated).status, await other];
    });
    const response = await start(dispatcher, agent);
    expect(json(response)).toEqual([200, 'decided meanwhile']);
    expect(json(await decided!)).toEqual([200, 'decided meanwhile']);
    expect(refunds()).toHaveLength(1);
  });

  it('can be cancelled, and takes no decision afterwards', async () => {
    const { dispatcher, flow, runner, refunds } = await createTrial(refundOnce);
    await start(dispatcher, flow);
    const approvalId = onlyApproval(runner);
    await runner.cancel(approvalId.split('.', 1)[0] ?? '');
    await expect(runner.decide(approvalId, { approve: true, note: '', by: human })).rejects.toMatchObject({
      status: 409,
    });
    expect(refunds()).toEqual([]);
  });

  it('does not count the wait for a human against the deadline of the call', async () => {
    vi.useFakeTimers({ toFake: [...clockOnly] });
    const { dispatcher, agent, runner } = await createTrial(async (context, scope) => {
      const gated = call(context, scope, 'refund', { cents: 3 });
      const other = scope.op({ kind: 'value', name: 'slow', input: null, repeat: 'safe' }, async () => {
        while (runner.approvals.all.length === 0) await new Promise(setImmediate);
        vi.advanceTimersByTime(20);
        return { value: 'later than the deadline of the refund' };
      });
      return [(await gated).status, await other];
    }, 20);
    expect((await start(dispatcher, agent)).status).toBe(202);
  });

  // The three below hold as soon as the contract lets them: each says what is missing.
  it.fails('keeps no timer of the calls it waits in (a step has no onDrop)', async () => {
    vi.useFakeTimers({ toFake: [...clockOnly] });
    const { dispatcher, flow } = await createTrial(refundOnce);
    await start(dispatcher, flow);
    // Long deadlines share one interval, which notices within a moment that nothing waits.
    vi.advanceTimersByTime(500);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.fails('starts from a request with a body (the runner is not given the validated input)', async () => {
    const { dispatcher, flow } = await createTrial(refundOnce);
    const bytes = new TextEncoder().encode('{"input":"ticket 7"}');
    const response = await dispatcher.dispatch({
      route: flow,
      input: {
        by: 'request',
        method: 'POST',
        path: '/flows/intake',
        headers: {},
        params: {},
        query: [],
        body: {
          contentType: 'application/json',
          contentLength: bytes.length,
          read: async () => bytes,
          stream: () => new Blob([bytes]).stream(),
        },
      },
      principal: desk,
      via: 'http',
      requestId: 'r1',
    });
    expect(response.status).toBe(202);
  });

  it.fails('tells a driver whether a call was declined (a tool result has no code)', async () => {
    const { dispatcher, agent, runner } = await createTrial(async (context, scope) => {
      const result = await call(context, scope, 'refund', { cents: 3 });
      return { ...result };
    });
    await start(dispatcher, agent);
    const response = await runner.decide(onlyApproval(runner), { approve: false, note: 'no', by: human });
    expect(json(response)).toMatchObject({ ok: false, code: 'declined' });
  });
});

describe('a gated tool outside a run', () => {
  it('is refused where nobody can wait, and passes where a person asks', async () => {
    const { dispatcher, refund, refunds } = await createTrial(refundOnce);
    const ask = (via: 'agent' | 'mcp' | 'http') =>
      dispatcher.dispatch({
        route: refund,
        input: { by: 'arguments', values: { cents: 1 } },
        principal: desk,
        via,
        requestId: 'r1',
      });
    verifies('gate.mcp.code');
    expect(await ask('mcp')).toMatchObject({
      status: 403,
      body: { kind: 'problem', code: approvalRequired },
    });
    expect((await ask('agent')).status).toBe(403);
    expect((await ask('http')).status).toBe(200);
    expect(refunds()).toHaveLength(1);
    const result = await callTool(dispatcher, {
      route: refund,
      arguments: { cents: 1 },
      principal: desk,
      via: 'watcher',
      requestId: 'r1',
    });
    expect(result).toMatchObject({ ok: false, status: 403 });
  });
});
