import { verifies } from '@waymark/contract/testing';
import { type Application, createApplication } from '@waymark/server';
import { describe, expect, it, onTestFinished } from 'vitest';

const keyOf = (name: string): string => `the-key-of-${name}-in-these-tests`;

/** A desk with a gated tool, three people who may decide, and one who may not. */
async function desk(more: (app: Application) => void = () => {}) {
  const people = {
    ...{ ada: ['svc:admin', 'pay'], ben: ['svc:admin'] },
    ...{ tom: ['svc:admin', 'treasury'], eve: ['pay'] },
  };
  const env = Object.fromEntries(
    Object.keys(people).map((name) => [`${name.toUpperCase()}_KEY`, keyOf(name)]),
  );
  const app = createApplication('desk', { port: 0, env: { LOG_LEVEL: 'silent', ...env } });
  for (const [name, scopes] of Object.entries(people))
    app.apiKey(`${name.toUpperCase()}_KEY`, name, { scopes });
  app.post('/pay', { tool: true, toolName: 'pay', approval: 'required', scopes: ['pay'] }, () => 'paid');
  app.behaviour('order', { tools: ['pay'], scopes: ['pay'] }, (ctx) => ctx.call('pay'));
  more(app);
  const { url, close } = await app.listen();
  onTestFinished(() => close());
  const send = async (path: string, who: string, body?: object) => {
    const response = await fetch(url + path, {
      headers: { 'x-api-key': keyOf(who), 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: response.status, value: (await response.json()) as Readonly<Record<string, unknown>> };
  };
  return {
    send,
    /** Starts an order that waits; gives the id of its approval and of its run. */
    async order(name = 'order') {
      const { value } = await send(`/behaviours/${name}`, 'eve', {});
      const [{ approval_id: id }] = value['pending_approvals'] as [{ approval_id: string }];
      return { id, runId: String(value['run_id']) };
    },
    decide: (id: string, who: string, approve: boolean) =>
      send(`/_svc/approvals/${id}`, who, { approve, note: 'seen' }),
  };
}

describe('an approval that is decided already', () => {
  it('says by whom, how and when, in words and in members', async () => {
    verifies('approval.decided-already');
    const { order, decide } = await desk();
    const { id } = await order();
    const before = Date.now();
    expect((await decide(id, 'ada', false)).status).toBe(403);
    const { status, value } = await decide(id, 'ben', true);
    expect(status).toBe(409);
    expect(value).toMatchObject({ decision: 'denied', decided_by: 'ada' });
    const atMs = Number(value['decided_at_ms']);
    expect(atMs).toBeGreaterThanOrEqual(before - 1);
    expect(atMs).toBeLessThanOrEqual(Date.now() + 1);
    expect(value['detail']).toBe(`the approval was denied by "ada", ${new Date(atMs).toISOString()}`);
  });

  it('tells the same to all who were too late in a race', async () => {
    verifies('approval.decided-already');
    const { order, decide } = await desk();
    for (let round = 0; round < 5; round++) {
      const { id } = await order();
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) => decide(id, i % 2 === 0 ? 'ada' : 'ben', i % 3 === 0)),
      );
      const late = answers.filter(({ status }) => status === 409).map(({ value }) => value);
      expect(late).toHaveLength(7);
      const said = late.map((one) => [
        one['decision'],
        one['decided_by'],
        one['decided_at_ms'],
        one['detail'],
      ]);
      expect(new Set(said.map(String)).size).toBe(1);
      const first = answers.findIndex(({ status }) => status !== 409);
      expect(said[0]?.slice(0, 2)).toEqual([
        first % 3 === 0 ? 'approved' : 'denied',
        first % 2 === 0 ? 'ada' : 'ben',
      ]);
    }
  });

  it('was withdrawn with its run', async () => {
    const { order, decide, send } = await desk();
    const { id, runId } = await order();
    await send(`/_svc/runs/${runId}/cancel`, 'ada', {});
    const { status, value } = await decide(id, 'ada', true);
    expect(status).toBe(409);
    expect(value).toMatchObject({ decision: 'withdrawn', decided_by: null });
    expect(value['detail']).toMatch(/^the approval was withdrawn: its run asks no longer, \d{4}-/);
  });

  it('says nothing of it to who may not decide', async () => {
    verifies('approval.decided-already');
    const { order, decide } = await desk((app) => {
      const approver = { scope: 'treasury' };
      app.post('/wire', { tool: true, toolName: 'wire', approval: 'required', approver }, () => 'sent');
      app.behaviour('transfer', { tools: ['wire'], exposeScopes: ['pay'] }, (ctx) => ctx.call('wire'));
    });
    const { id } = await order('transfer');
    expect((await decide(id, 'tom', true)).status).toBe(200);
    for (const [who, detail] of [
      ['ada', 'missing scope "treasury" to decide'],
      ['eve', 'missing scope "svc:admin"'],
    ] as const) {
      const { status, value } = await decide(id, who, true);
      expect([status, value['detail']]).toEqual([403, detail]);
      expect(Object.keys(value)).toEqual(['type', 'title', 'status', 'detail', 'request_id']);
    }
    expect((await decide(id, 'tom', true)).value).toMatchObject({ decided_by: 'tom' });
  });
});

describe('health', () => {
  it('has a run that was parked, or decided, in its counts at once', async () => {
    verifies('gauges.own-changes');
    const { order, decide, send } = await desk();
    const pending = async () => (await send('/_svc/health', 'ada')).value['pending_approvals'];
    expect(await pending()).toBe(0);
    const first = await order();
    expect(await pending()).toBe(1);
    const second = await order();
    expect(await pending()).toBe(2);
    await decide(first.id, 'ada', true);
    expect(await pending()).toBe(1);
    await send(`/_svc/runs/${second.runId}/cancel`, 'ada', {});
    expect(await pending()).toBe(0);
  });
});
