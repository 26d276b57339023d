/** Runs that failed and are retried through the control plane of a whole application. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HTTPError } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Caller, type Envelope, type ThinkingApplication, thinking } from './agents-application.ts';
import { bearerOf } from './agents-token.ts';

function desk() {
  const folder = mkdtempSync(join(tmpdir(), 'retry-served-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const refunds: string[] = [];
  /** What the model does once the tool was called. */
  const models = { behind: '[[error 400]]', always: undefined as string | undefined };
  const declare = (app: Application): void => {
    const gated = { tool: true, toolName: 'refund', approval: 'required', scopes: ['write'] } as const;
    app.post('/refund', { ...gated, summary: 'Refunds.' }, () => {
      refunds.push('refund');
      return 'refunded';
    });
    app.agent('clerk', { tools: ['refund'], scopes: ['write'], description: 'Refunds.' });
    app.flow('chain', { scopes: ['write'], pipeline: [{ tool: 'clerk', input: { input: '$input.text' } }] });
  };
  const start = (): Promise<ThinkingApplication> =>
    thinking(declare, {
      database: `sqlite://${join(folder, 'desk.db')}`,
      script: ({ turns }) =>
        models.always ?? (JSON.stringify(turns).includes('refunded') ? models.behind : '[[call refund {}]]'),
    });
  return { refunds, models, start };
}

const decide = (app: ThinkingApplication, { pending_approvals: pending }: Envelope, caller?: Caller) =>
  app.send(`/_svc/approvals/${pending?.[0]?.approval_id}`, { approve: true, note: '' }, caller);

it('a failed run is retried through its endpoint and finishes without repeating an approved effect', async () => {
  verifies('run.retry', 'run.survives');
  const { refunds, models, start } = desk();
  const first = await start();
  for (const [path, body] of [
    ['/agents/clerk', { input: 'Refund.' }],
    ['/flows/chain', { text: 'Refund.' }],
  ] as const) {
    const { value: asked } = await first.send(path, body);
    const failed = await decide(first, asked);
    expect(failed.status).toBe(502);
  }
  expect(refunds).toHaveLength(2);
  const { runs } = (await first.send('/_svc/runs?status=failed')).value as never as {
    runs: { run_id: string }[];
  };
  expect(runs).toHaveLength(2);
  const [one, other] = runs.map(({ run_id: id }) => `/_svc/runs/${id}`) as [string, string];
  expect((await first.send(`${one}/retry`, {}, 'CAT_KEY')).status).toBe(403);
  await first.close();

  const second = await start();
  expect((await second.send(`${one}/retry`, {})).status).toBe(502);
  models.behind = '[[say Done.]]';
  expect(await second.send(`${one}/retry`, {})).toMatchObject({
    status: 200,
    value: { status: 'completed' },
  });
  expect(await second.send(`${other}/retry`, {})).toMatchObject({
    ...{ status: 200, value: { status: 'completed', output: 'Done.' } },
  });
  expect(await second.send(`${one}/retry`, {})).toMatchObject({ status: 409, value: { code: 'run_ended' } });
  expect(refunds).toHaveLength(2);
});

it('one retry asks all branches of a flow again that failed, and the human whom nobody answered any more', async () => {
  verifies('run.retry.nested', 'run.retry.gated');
  const calls: string[] = [];
  const state = { broken: true };
  const app = await thinking((declared) => {
    for (const name of ['left', 'right'])
      declared.post(`/${name}`, { tool: true, toolName: name, scopes: ['write'], summary: 'Works.' }, () => {
        calls.push(name);
        if (state.broken) throw new HTTPError(503, `${name} is broken`);
        return name;
      });
    const gated = { tool: true, toolName: 'refund', approval: 'required', scopes: ['write'] } as const;
    declared.post('/refund', { ...gated, summary: 'Refunds.' }, () => {
      calls.push('refund');
      return 'refunded';
    });
    const step = (tool: string) => ({ tool, input: {} });
    declared.flow('wide', { scopes: ['write'], parallel: [step('left'), step('refund'), step('right')] });
  });
  const failed = await app.send('/flows/wide', {});
  expect(failed.status).toBe(502);
  const { run_id: id } = (failed.value as never as { run: { run_id: string } }).run;
  state.broken = false;
  const asked = await app.send(`/_svc/runs/${id}/retry`, {});
  expect([asked.status, asked.value.status]).toEqual([202, 'awaiting_approval']);
  const done = await decide(app, asked.value);
  expect(done).toMatchObject({
    status: 200,
    value: { status: 'completed', output: ['left', 'refunded', 'right'] },
  });
  expect(calls.sort()).toEqual(['left', 'left', 'refund', 'right', 'right']);
});

it('a run that waits for its provider is tried at once', async () => {
  verifies('run.retry.hurried');
  const { models, start } = desk();
  const app = await start();
  models.always = '[[error 429 retry-after-ms=1]]';
  const { value: waiting } = await app.ask('clerk', 'Hi.');
  expect(waiting.status).toBe('waiting_provider');
  models.always = '[[say Hello.]]';
  expect(await app.send(`/_svc/runs/${waiting.run_id}/retry`, {})).toMatchObject({
    ...{ status: 200, value: { status: 'completed', output: 'Hello.' } },
  });
});

it('a fork is a run of its own, which asks its own humans', async () => {
  verifies('run.fork');
  const { refunds, models, start } = desk();
  const app = await start();
  models.behind = '[[say Done.]]';
  const { value: asked } = await app.ask('clerk', 'Refund.');
  const done = await decide(app, asked);
  expect(done.value.output).toBe('Done.');
  const step = done.value.steps.find(({ kind }) => kind === 'tool_call') as { seq?: number } | undefined;
  const response = await fetch(`${app.url}/_svc/runs/${asked.run_id}/fork`, {
    method: 'POST',
    headers: { 'x-api-key': 'ann-secret-of-more-than-16-bytes', 'content-type': 'application/json' },
    body: JSON.stringify({ at: step?.seq }),
  });
  expect(response.status).toBe(202);
  const forked = (await response.json()) as { run_id: string };
  expect(forked).toMatchObject({ status: 'running', forked_from: asked.run_id, at: step?.seq });
  const location = response.headers.get('location') ?? '';
  expect(location).toBe(`/_svc/runs/${forked.run_id}`);
  await expect.poll(async () => (await app.send(location)).value.status).toBe('awaiting_approval');
  // Whoever started the first one reads this one, too.
  const own = await app.send(`/agents/clerk/runs/${forked.run_id}`);
  expect([own.status, own.value.status]).toEqual([202, 'awaiting_approval']);
  expect(refunds).toHaveLength(1);
  expect((await decide(app, own.value)).value.output).toBe('Done.');
  expect(refunds).toHaveLength(2);
  for (const [at, status] of [
    [0, 422],
    ['x', 422],
    [10_000, 422],
  ] as const)
    expect((await app.send(`/_svc/runs/${asked.run_id}/fork`, { at })).status).toBe(status);
});

describe('a tool that wants four eyes', () => {
  const starter = { status: 403, value: { detail: 'whoever started the run must not decide on it' } };
  const mover = { status: 403, value: { detail: 'whoever forked or retried the run must not decide on it' } };

  /** As `desk`, with a tool whose first call of all fails when it is told to. */
  function vault() {
    const folder = mkdtempSync(join(tmpdir(), 'four-eyes-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const paid: string[] = [];
    const state = { broken: false };
    const start = (): Promise<ThinkingApplication> =>
      thinking(
        (app) => {
          app
            .jwt('TOKEN_SECRET')
            .post(
              '/pay',
              {
                ...{ tool: true, toolName: 'pay', scopes: ['write'], summary: 'Pays.' },
                ...{ approval: 'required', approver: { fourEyes: true } },
              },
              () => {
                if (state.broken) throw new HTTPError(503, 'not now');
                paid.push('paid');
                return 'paid';
              },
            )
            .agent('clerk', { tools: ['pay'], scopes: ['write'], description: 'Pays.' })
            .flow('chain', {
              ...{ scopes: ['write'], pipeline: [{ tool: 'clerk', input: { input: '$input.text' } }] },
            })
            .flow('direct', { scopes: ['write'], pipeline: [{ tool: 'pay', input: {} }] });
        },
        {
          database: `sqlite://${join(folder, 'vault.db')}`,
          script: ({ turns }) =>
            JSON.stringify(turns).includes('"paid') ? '[[say Done.]]' : '[[call pay {}]]',
        },
      );
    return { paid, state, start };
  }

  /** Forks a run before its first call, and waits until it asks. */
  async function forked(app: ThinkingApplication, runId: string, caller: Caller): Promise<Envelope> {
    const { value, status } = await app.send(`/_svc/runs/${runId}/fork`, { at: 1 }, caller);
    expect(status).toBe(202);
    const look = async () => (await app.send(`/_svc/runs/${value.run_id}`)).value.status;
    await expect.poll(look).toBe('awaiting_approval');
    const { approvals } = (await app.send('/_svc/approvals')).value as never as {
      approvals: { approval_id: string; root_run_id: string; tool: string }[];
    };
    const own = approvals.filter((one) => one.root_run_id === value.run_id);
    return { ...value, pending_approvals: own };
  }

  it('is decided on by nobody who forked the run, over restarts and forks of forks', async () => {
    verifies('approval.approver.four-eyes', 'run.fork.four-eyes');
    const { paid, start } = vault();
    const first = await start();
    for (const [path, body] of [
      ['/agents/clerk', { input: 'Pay.' }],
      ['/flows/chain', { text: 'Pay.' }],
    ] as const) {
      const { value: asked } = await first.send(path, body);
      // While the first one waits still.
      expect(await decide(first, await forked(first, asked.run_id, 'BEN_KEY'), 'BEN_KEY')).toMatchObject(
        mover,
      );
      expect(await decide(first, asked)).toMatchObject(starter);
      expect((await decide(first, asked, 'BEN_KEY')).status).toBe(200);
    }
    expect(paid).toHaveLength(2);
    const { value: asked } = await first.ask('clerk', 'Pay.');
    const fork = await forked(first, asked.run_id, 'BEN_KEY');
    await first.close();

    const second = await start();
    const again = await forked(second, fork.run_id, 'ANN_KEY');
    for (const one of [fork, again]) {
      expect(await decide(second, one, 'BEN_KEY')).toMatchObject(mover);
      expect(await decide(second, one, 'ANN_KEY')).toMatchObject(starter);
    }
    expect(paid).toHaveLength(2);
    expect(await decideAs(second, again, 'dan')).toBe(200);
    expect(paid).toHaveLength(3);
  });

  it('is decided on by nobody who retried the run', async () => {
    verifies('approval.approver.four-eyes', 'run.fork.four-eyes');
    const { paid, state, start } = vault();
    const app = await start();
    state.broken = true;
    const { value: asked } = await app.send('/flows/direct', {});
    const failed = await decide(app, asked, 'BEN_KEY');
    expect(failed.status).toBe(502);
    state.broken = false;
    const retried = await app.send(`/_svc/runs/${asked.run_id}/retry`, {}, 'BEN_KEY');
    expect(retried.status).toBe(202);
    expect(await decide(app, retried.value, 'BEN_KEY')).toMatchObject(mover);
    expect(await decide(app, retried.value)).toMatchObject(starter);
    expect(paid).toEqual([]);
    expect(await decideAs(app, retried.value, 'dan')).toBe(200);
    expect(paid).toEqual(['paid']);
  });

  async function decideAs(
    app: ThinkingApplication,
    { pending_approvals: pending }: Envelope,
    subject: string,
  ) {
    const response = await fetch(`${app.url}/_svc/approvals/${pending?.[0]?.approval_id}`, {
      method: 'POST',
      headers: { authorization: bearerOf(subject, 'svc:admin', 60), 'content-type': 'application/json' },
      body: JSON.stringify({ approve: true, note: '' }),
    });
    await response.body?.cancel();
    return response.status;
  }
});
