import { HTTPError, Type } from '@waymark/contract';
import type { Call, RouteResponse, Via } from '@waymark/contract/engine';
import { anonymous, type ControlAccess } from '@waymark/contract/principal';
import type { Decision, Step } from '@waymark/contract/runs';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { requireAdmin } from '../src/index.ts';
import { answerOf, caller, detailOf, echo, route, serve } from './kit.ts';

const everyDoor: readonly Via[] = ['http', 'mcp', 'socket', 'agent', 'behaviour', 'flow', 'watcher'];

/** A step that notes what is asked of it. */
function fakeStep(decision: Decision | Promise<Decision>, order: string[] = []): Step {
  return {
    runId: 'run',
    seq: 1,
    key: 'run.1',
    grantedTokens: null,
    gate: async (request) => {
      order.push(`gate ${JSON.stringify(request)}`);
      return decision;
    },
    begin: async () => void order.push('begin'),
    again: async () => true,
    record: async () => {},
    onDrop: () => {},
  };
}

describe('scopes', () => {
  it('are all needed, and equal or not', async () => {
    verifies(
      'route.option.scopes',
      'auth.route-scopes',
      'http.order.scopes',
      'http.status.403',
      'authority.scopes.all',
      'authority.scopes.equality',
    );
    const { tool } = serve([route('GET', '/x', { scopes: ['a:read', 'b'] })]);
    for (const via of everyDoor) {
      expect((await tool({}, { via, principal: caller('b', 'a:read') })).status).toBe(200);
      expect(detailOf(await tool({}, { via, principal: caller('b') }))).toBe('missing scope "a:read"');
      const strange = await tool({}, { via, principal: caller('*', 'a:*', 'A:READ', 'a', 'a:read:more') });
      expect([strange.status, detailOf(strange)]).toEqual([403, 'missing scope "a:read", "b"']);
    }
  });

  it('are 401 to somebody without credentials', async () => {
    verifies('http.order.scopes');
    const { tool } = serve([route('GET', '/x', { scopes: ['read'] })]);
    const refused = await tool({}, { principal: anonymous(), via: 'http' });
    expect(refused.status).toBe(401);
    expect(detailOf(refused)).toBe('authentication is needed for scope "read"');
    expect((await tool({}, { principal: anonymous(['read']) })).status).toBe(200);
  });

  it('are not asked for by a route that lists none', async () => {
    verifies('route.option.scopes.default');
    expect((await serve([route('GET', '/x')]).tool({}, { principal: anonymous() })).status).toBe(200);
  });

  it('come before anything is said of the input', async () => {
    verifies('http.order.scopes-before-body');
    const { request, tool } = serve([
      echo('GET', '/x/{id}', { scopes: ['read'], input: { id: Type.Integer() } }),
    ]);
    expect((await request('GET', '/x/no')).status).toBe(403);
    expect((await tool({ unknown: 1 })).status).toBe(403);
  });
});

describe('guards', () => {
  it('come first, in their order, and the first refusal is the answer', async () => {
    const seen: string[] = [];
    const guard = (name: string, refusal?: HTTPError) => (call: Call) => {
      seen.push(`${name} ${call.route.name}`);
      return refusal;
    };
    const draining = new HTTPError(503, 'draining', { headers: { connection: 'close' } });
    const { tool } = serve([route('GET', '/x', { scopes: ['no'] })], {
      guards: [guard('a'), guard('b', draining), guard('c')],
    });
    const refused = await tool({});
    expect(refused).toMatchObject({ status: 503, headers: { connection: 'close' } });
    expect(seen).toEqual(['a get_x', 'b get_x']);
  });

  it('that fail refuse', async () => {
    const logged: unknown[] = [];
    const bug = new Error('bug');
    const { tool, dispatcher, table } = serve([route('GET', '/x')], {
      guards: [
        () => {
          throw bug;
        },
      ],
      log: (_level, _message, fields) => logged.push(fields),
    });
    expect((await tool({})).status).toBe(500);
    const upgrade = {
      route: table.get('get_x')!,
      input: { by: 'arguments', values: {} },
      principal: caller(),
      via: 'socket',
      requestId: 'r1',
    } as const;
    expect(await dispatcher.upgrade(upgrade)).toMatchObject({ ok: false, response: { status: 500 } });
    expect(logged).toEqual([
      { request_id: 'r1', route: 'get_x', error: bug },
      { request_id: 'r1', route: 'get_x', error: bug },
    ]);
  });
});

describe('the control rule', () => {
  const control = [route('GET', '/health', { plane: 'control' }), route('GET', '/data')];

  it('refuses every control route when there is none', async () => {
    verifies('control.no-guard');
    const { tool } = serve(control);
    for (const via of everyDoor) {
      const refused = await tool({}, { via, principal: caller('svc:admin') }, 'get_svc_health');
      expect([refused.status, detailOf(refused)]).toEqual([
        403,
        'the control plane has no guard: give the dispatcher a `controlRule`',
      ]);
    }
    expect((await tool({}, {}, 'get_data')).status).toBe(200);
  });

  it('is asked with path, principal and address, for control routes alone', async () => {
    const asked: ControlAccess[] = [];
    const { tool } = serve(control, {
      controlRule: (access) => {
        asked.push(access);
        return undefined;
      },
    });
    const principal = caller();
    expect((await tool({}, { principal, clientAddress: '::1' }, 'get_svc_health')).status).toBe(200);
    await tool({}, {}, 'get_data');
    expect(asked).toEqual([{ path: '/health', principal, clientAddress: '::1', headers: undefined }]);
  });

  it('of requireAdmin asks for the administrator scope', async () => {
    verifies('control.require-admin', 'product.wire-constants');
    const { tool } = serve(control, { controlRule: requireAdmin() });
    const status = async (principal: Call['principal']): Promise<number> =>
      (await tool({}, { principal }, 'get_svc_health')).status;
    expect(await status(caller('svc:admin'))).toBe(200);
    expect(await status(caller('svc:admins', 'svc'))).toBe(403);
    expect(await status(anonymous())).toBe(401);
  });
});

describe('approval', () => {
  const gated = {
    approval: 'required',
    scopes: ['pay'],
    input: { amount: Type.Integer() },
    toolName: 'refund',
    approver: { fourEyes: true },
  } as const;
  const text = 'tool "refund" requires human approval and cannot be invoked directly over MCP';

  it('is never asked unless a route says so', async () => {
    verifies('route.option.approval.default');
    const order: string[] = [];
    const { tool } = serve([route('POST', '/x')]);
    expect((await tool({}, { via: 'mcp' })).status).toBe(200);
    expect(
      (
        await tool(
          {},
          { via: 'agent', step: fakeStep({ approved: false, reason: 'declined', note: '' }, order) },
        )
      ).status,
    ).toBe(200);
    expect(order).toEqual(['begin']);
  });

  it('refuses MCP after the scopes and before the arguments are looked at', async () => {
    verifies(
      'route.option.approval.mcp',
      'state.gate.no-direct-mcp',
      'gate.mcp.after-scopes',
      'gate.mcp.before-validation',
      'gate.mcp.code',
    );
    const { tool } = serve([echo('POST', '/refunds', gated)]);
    for (const values of [{ amount: 5 }, { amount: 'no' }, { unknown: 1 }])
      expect(answerOf(await tool(values, { principal: caller('pay') }))).toEqual({
        status: 403,
        kind: 'problem',
        detail: text,
        code: 'approval_required',
      });
    expect(answerOf(await tool({ amount: 5 }))).toEqual({
      status: 403,
      kind: 'problem',
      detail: 'missing scope "pay"',
    });
  });

  it('refuses MCP also when the call carries a step', async () => {
    verifies('state.gate.no-direct-mcp');
    const order: string[] = [];
    const step = fakeStep({ approved: true, note: '' }, order);
    const refused = await serve([echo('POST', '/refunds', gated)]).tool(
      { amount: 5 },
      { principal: caller('pay'), step },
    );
    expect([refused.status, order]).toEqual([403, []]);
  });

  it.each(['http', 'socket'] as const)('lets %s pass: the caller asks in person', async (via) => {
    verifies('gate.http');
    verifies('gate.socket-turns');
    const order: string[] = [];
    const { tool } = serve([echo('POST', '/refunds', gated)]);
    expect((await tool({ amount: 5 }, { via, principal: caller('pay') })).status).toBe(200);
    await tool(
      { amount: 5 },
      { via, principal: caller('pay'), step: fakeStep({ approved: true, note: '' }, order) },
    );
    expect(order).toEqual(['begin']);
  });

  const runs = ['agent', 'behaviour', 'flow', 'watcher'] as const;

  it.each(runs)('asks a human for calls of a run, right before the work: %s', async (via) => {
    const order: string[] = [];
    const { tool } = serve([route('POST', '/refunds', gated, () => void order.push('work'))]);
    const call = { via, principal: caller('pay'), step: fakeStep({ approved: true, note: 'fine' }, order) };
    expect((await tool({ amount: 5 }, call)).status).toBe(204);
    expect(order).toEqual([
      'gate {"tool":"refund","arguments":{"amount":5},"approver":{"fourEyes":true}}',
      'begin',
      'work',
    ]);
  });

  it.each(runs)(
    'asks nobody about arguments that are wrong, nor for callers without scopes: %s',
    async (via) => {
      const order: string[] = [];
      const { tool } = serve([echo('POST', '/refunds', gated)]);
      const step = fakeStep({ approved: true, note: '' }, order);
      expect((await tool({ amount: 'no' }, { via, principal: caller('pay'), step })).status).toBe(422);
      expect((await tool({ amount: 5 }, { via, step })).status).toBe(403);
      expect(order).toEqual([]);
    },
  );

  it.each(runs)('refuses a call that cannot wait: %s', async (via) => {
    const { tool } = serve([
      route('POST', '/refunds', gated, () => {
        throw new Error('it worked');
      }),
    ]);
    expect(answerOf(await tool({ amount: 5 }, { via, principal: caller('pay') }))).toEqual({
      status: 403,
      kind: 'problem',
      detail: 'tool "refund" requires human approval, and this call cannot wait',
      code: 'approval_required',
    });
  });

  it.each([
    [{ approved: false, reason: 'declined', note: 'too much' }, 'too much', 'declined'],
    [{ approved: false, reason: 'declined', note: '' }, 'the call was declined', 'declined'],
    [{ approved: false, reason: 'expired', note: '' }, 'the call was expired', 'expired'],
  ] as const)('tells what was decided: %j', async (decision, detail, code) => {
    const order: string[] = [];
    const { tool } = serve([route('POST', '/refunds', gated, () => void order.push('work'))]);
    const refused = await tool(
      { amount: 5 },
      { via: 'agent', principal: caller('pay'), step: fakeStep(decision, order) },
    );
    expect(answerOf(refused)).toEqual({ status: 403, kind: 'problem', detail, code });
    expect(order).toHaveLength(1);
  });

  it('fails the call when the step cannot ask or begin', async () => {
    const { tool } = serve([echo('POST', '/refunds', gated)]);
    const call = (step: Step): Promise<RouteResponse> =>
      tool({ amount: 5 }, { via: 'flow', principal: caller('pay'), step });
    expect(
      (
        await call({
          ...fakeStep({ approved: true, note: '' }),
          gate: () => Promise.reject(new Error('no store')),
        })
      ).status,
    ).toBe(500);
    expect(
      (
        await call({
          ...fakeStep({ approved: true, note: '' }),
          begin: () => {
            throw new Error('no store');
          },
        })
      ).status,
    ).toBe(500);
  });
});
