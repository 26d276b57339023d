/**
 * Walks a run through the contract: a flow calls an agent, the agent calls a tool that needs a human, everything waits
 * as rows, a decision runs the root again from its journal. Runner and drivers are the trial's own; dispatcher and host
 * are the product's.
 */
import { approvalRequired, callTool, HTTPError, type RouteResponse } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createTrial,
  desk,
  human,
  json,
  onlyApproval,
  refundOnce,
  start,
  untilAsked,
} from './runs/create-trial.ts';
import { toRootId } from './runs/stored-run.ts';
import { call } from './runs/trial-engines.ts';

/** Resumption needs a real `setImmediate`. */
const clockOnly = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;

afterEach(() => {
  vi.useRealTimers();
});

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
      const second = call(context, scope, 'refund', { cents: 2 }, { after: first });
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
      const second = call(context, scope, 'refund', { cents: 2 }, { after: unless });
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
      const other = scope.op({ kind: 'context', name: 'slow', input: null, repeat: 'safe' }, async () => {
        await untilAsked(runner);
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
    await runner.cancel(toRootId(approvalId));
    await expect(runner.decide(approvalId, { approve: true, note: '', by: human })).rejects.toMatchObject({
      status: 409,
    });
    expect(refunds()).toEqual([]);
  });

  it('does not count the wait for a human against the deadline of the call', async () => {
    vi.useFakeTimers({ toFake: [...clockOnly] });
    const { dispatcher, agent, runner } = await createTrial(async (context, scope) => {
      const gated = call(context, scope, 'refund', { cents: 3 });
      const other = scope.op({ kind: 'context', name: 'slow', input: null, repeat: 'safe' }, async () => {
        await untilAsked(runner);
        vi.advanceTimersByTime(1_000);
        return { value: 'later than the deadline of the refund' };
      });
      return [(await gated).status, await other];
    });
    expect((await start(dispatcher, agent)).status).toBe(202);
  });

  it('keeps no timer of the calls it waits in', async () => {
    vi.useFakeTimers({ toFake: [...clockOnly] });
    const { dispatcher, flow } = await createTrial(refundOnce);
    await start(dispatcher, flow);
    // Long deadlines share one interval, which notices within a moment that nothing waits.
    vi.advanceTimersByTime(500);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps no timer of a call that it leaves behind when it is cancelled', async () => {
    vi.useFakeTimers({ toFake: [...clockOnly] });
    let rootId = '';
    const { dispatcher, agent, runner, count } = await createTrial(async (context, scope) => {
      rootId = scope.rootId;
      await call(context, scope, 'hang', {});
      return null;
    });
    const response = start(dispatcher, agent);
    await vi.waitUntil(() => count('hang') > 0);
    await runner.cancel(rootId);
    expect(json(await response)).toEqual({ run_id: rootId, status: 'cancelled' });
    vi.advanceTimersByTime(500);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('starts from a request with a body, which is not there any more when it resumes', async () => {
    const { dispatcher, flow, runner } = await createTrial(refundOnce);
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
    const end = await runner.decide(onlyApproval(runner), { approve: true, note: '', by: human });
    expect(json(end)).toMatchObject({ b: 'b, looked up', refund: { refunded: 500 } });
  });

  it('tells a driver that a call was declined', async () => {
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
