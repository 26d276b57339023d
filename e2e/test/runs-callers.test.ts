import type { Json, Progress } from '@waymark/contract';
import type { RequestInput, RouteResponse } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { endLeases } from './kills/survive.ts';
import { agent, type Ctx, runRoute, type Stage } from './runs/drivers.ts';
import { boss, desk, type Engine, type EngineOptions, json, openState, startEngine } from './runs/engine.ts';
import { seqOf } from './runs/seq-of.ts';

const call = (tool: string) => ({ calls: [{ tool, args: {} }] });
const engines: Engine[] = [];

afterEach(async () => {
  for (const engine of engines.splice(0)) {
    // What is dead gives nothing back.
    if (!engine.life.dead) await engine.stop();
    engine.life.kill();
  }
});

/** A promise that a test settles. */
function door(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

async function house(
  bodies: Record<string, (ctx: Ctx, input: never) => Promise<Json>> = {},
  options: EngineOptions = {},
) {
  const { database, store } = await openState();
  const routes = (stage: Stage) => [
    runRoute('agent', 'clerk', agent([call('refund'), { text: 'done' }]), stage),
    runRoute('flow', 'intake', async (ctx) => ctx.must('clerk'), stage),
    runRoute(
      'agent',
      'talk',
      async (ctx) => ({ before: (await ctx.history()) as Json, did: (await ctx.call('refund')).ok }),
      stage,
      { session: (input, { rootId }) => ({ key: `talk:${rootId}:s`, reset: input['reset'] === true }) },
    ),
    runRoute(
      'agent',
      'chat',
      async (ctx) => ({ before: (await ctx.history()) as Json, at: await ctx.must('look') }),
      stage,
      { session: (input, { rootId }) => ({ key: `chat:${rootId}:s`, reset: input['reset'] === true }) },
    ),
    ...Object.entries(bodies).map(([name, body]) =>
      runRoute('behaviour', name, (ctx, input) => body(ctx, input as never), stage),
    ),
  ];
  const start = async (more: EngineOptions = {}): Promise<Engine> => {
    const engine = await startEngine(database, routes, { ...options, ...more });
    engines.push(engine);
    return engine;
  };
  return { database, store, start, engine: await start() };
}

function pendingOf(response: RouteResponse): string {
  const [first] = json<{ pending_approvals: { approval_id: string }[] }>(response).pending_approvals;
  return first?.approval_id ?? '';
}

const yes = { approve: true, note: '', by: boss };

describe('the caller of a run that waits', () => {
  it('is given 202, then reads the answer where the run said, and nobody else does', async () => {
    verifies('run.for-caller', 'approval.resume.principal', 'run.waits.http', 'run.anonymous');
    const { engine } = await house();
    const waits = await engine.call('intake');
    expect(waits.status).toBe(202);
    const { run_id: runId } = json<{ run_id: string }>(waits);
    const read = (principal: Principal, route = 'intake') => engine.runner.read(runId, route, principal);
    expect((await read(desk)).status).toBe(202);
    await engine.runner.decide(pendingOf(waits), yes);
    const answer = await read(desk);
    expect(answer.status).toBe(200);
    expect(json(answer)).toMatchObject({ run_id: runId, status: 'completed' });
    expect((await read({ ...desk, rootId: 'other' })).status).toBe(404);
    expect((await read(boss)).status).toBe(404);
    expect((await read(desk, 'clerk')).status).toBe(404);
    expect((await read({ ...desk, authenticated: false })).status).toBe(404);
    expect((await engine.runner.read('01NONE', 'intake', desk)).status).toBe(404);
  });

  it('reads the same answer from another process', async () => {
    verifies('run.waits.parent', 'run.decided.answer');
    const { engine, start } = await house();
    const waits = await engine.call('intake');
    const decided = await engine.runner.decide(pendingOf(waits), yes);
    engine.life.kill();
    const { run_id: runId } = json<{ run_id: string }>(waits);
    const later = await (await start()).runner.read(runId, 'intake', desk);
    expect(json(decided)).toMatchObject({ run_id: runId, status: 'completed' });
    expect(json(later)).toEqual(json(decided));
  });

  it('gets the run it started before by the same idempotency key, and so does nobody else', async () => {
    verifies('run.anonymous');
    const { engine } = await house();
    const by = (key: string, principal: Principal): Promise<RouteResponse> =>
      engine.call('clerk', {}, { input: keyed(key), principal });
    const first = await by('k1', desk);
    const again = await by('k1', desk);
    expect(json(again)['run_id']).toBe(json(first)['run_id']);
    expect(json(await by('k2', desk))['run_id']).not.toBe(json(first)['run_id']);
    const other = { ...desk, id: 'other', rootId: 'other' };
    expect(json(await by('k1', other))['run_id']).not.toBe(json(first)['run_id']);
    const nobody = { ...desk, id: 'anonymous', rootId: 'anonymous', authenticated: false };
    const anonymous = json(await by('k1', nobody))['run_id'];
    expect(json(await by('k1', nobody))['run_id']).not.toBe(anonymous);
  });
});

function keyed(key: string): RequestInput {
  const bytes = new TextEncoder().encode('{}');
  return {
    by: 'request',
    method: 'POST',
    path: '/agents/clerk',
    headers: { 'idempotency-key': key, 'content-type': 'application/json' },
    body: {
      contentType: 'application/json',
      contentLength: bytes.length,
      read: async () => bytes,
      stream: () => new Blob([bytes]).stream(),
    },
    params: {},
    search: '',
  };
}

describe('a decision', () => {
  it('is answered with what comes of the run, and counts once', async () => {
    const { engine } = await house();
    const waits = await engine.call('clerk');
    const both = await Promise.allSettled([
      engine.runner.decide(pendingOf(waits), yes),
      engine.runner.decide(pendingOf(waits), { ...yes, approve: false }),
    ]);
    const won = both.filter(({ status }) => status === 'fulfilled');
    expect(won).toHaveLength(1);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { status: 409 } });
    await expect(engine.runner.decide('01NONE', yes)).rejects.toMatchObject({ status: 404 });
  });

  it('comes too late once the time is over, whether or not somebody has looked', async () => {
    verifies('approval.expiry.declined');
    const { engine, database } = await house();
    const waits = await engine.call('clerk');
    await database.write([{ sql: 'update svc__approval set expires_ms = 1' }]);
    await expect(engine.runner.decide(pendingOf(waits), yes)).rejects.toMatchObject({ status: 410 });
    expect(engine.world.effects.has('refund')).toBe(false);
  });

  it('may come while the run still works: it is taken up when the run would have waited', async () => {
    const gate = door();
    const { engine, store } = await house({
      busy: async (ctx) => {
        const work = ctx.scope.op<Json>(
          { kind: 'context', name: 'slow', input: null, repeat: 'safe' },
          async () => {
            await gate.opened;
            return { value: 'slow' };
          },
        );
        return [await ctx.call('refund'), await work];
      },
    });
    const answer = engine.call('busy');
    const asked = await until(async () => (await store.approvals({ status: 'pending', limit: 1 }))[0]);
    const decided = engine.runner.decide(asked.approvalId, yes);
    setTimeout(() => gate.open(), 20);
    expect((await answer).status).toBe(200);
    expect((await decided).status).toBe(200);
    expect([...engine.world.effects].filter(([name]) => name.startsWith('refund'))).toHaveLength(1);
  });

  it('is the business of those whom the route names, as long as it says', async () => {
    verifies('approval.approver.scope', 'approval.approver.four-eyes', 'approval.approver.expires');
    const { engine } = await house({ buys: (ctx) => ctx.must('pay') });
    const waits = await engine.call('buys');
    const by = (principal: Principal) => engine.runner.decide(pendingOf(waits), { ...yes, by: principal });
    await expect(by(boss)).rejects.toMatchObject({ status: 403, message: 'missing scope "money" to decide' });
    const rich = { ...boss, scopes: [...boss.scopes, 'money'] };
    await expect(by({ ...rich, id: 'x', rootId: 'desk' })).rejects.toMatchObject({
      status: 403,
      message: 'whoever started the run must not decide on it',
    });
    const row = (await listed(engine)) as Record<string, number>;
    expect((row['expires_at_ms'] ?? 0) - (row['requested_at_ms'] ?? 0)).toBe(5_000);
    expect((await by(rich)).status).toBe(200);
  });
});

describe('a run that is cancelled', () => {
  it('ends at once, answers its caller, and can be asked about', async () => {
    verifies('run.cancel', 'run.cancel.answer', 'run.cancel.aborts', 'run.cancel.refused');
    const gate = door();
    let aborted = false;
    const { engine, store } = await house({
      slow: async (ctx) => {
        await ctx.scope.op<Json>({ kind: 'model', name: 'm', input: null, repeat: 'safe' }, async () => {
          ctx.scope.signal.addEventListener('abort', () => {
            aborted = true;
          });
          await gate.opened;
          return { value: null };
        });
        return ctx.must('once');
      },
    });
    const answer = engine.call('slow');
    const [run] = await until(async () => {
      const runs = await store.list({ limit: 1 });
      return runs.length > 0 ? runs : undefined;
    });
    await engine.runner.cancel(run?.runId ?? '', boss);
    expect(aborted).toBe(true);
    const answered = await answer;
    expect([answered.status, json(answered)['status']]).toEqual([200, 'cancelled']);
    gate.open();
    await expect(engine.runner.cancel(run?.runId ?? '', boss)).rejects.toMatchObject({ status: 409 });
    await expect(engine.runner.cancel('01NONE', boss)).rejects.toMatchObject({ status: 404 });
    expect([...engine.world.effects.keys()]).toEqual([]);
  });

  it('is named by its root, and takes its approvals with it', async () => {
    verifies('run.cancel.refused');
    const { engine, store } = await house();
    const waits = await engine.call('intake');
    const { run_id: runId } = json<{ run_id: string }>(waits);
    await expect(engine.runner.cancel(`${runId}.0`, boss)).rejects.toMatchObject({
      status: 409,
      message: `run ${runId}.0 is part of run ${runId}: cancel that`,
    });
    await engine.runner.cancel(runId, boss);
    await expect(engine.runner.decide(pendingOf(waits), yes)).rejects.toMatchObject({ status: 409 });
    const { runs } = await store.load(runId);
    expect(runs.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
  });
});

describe('turns of a session', () => {
  it('follow each other, and each hears what was said before', async () => {
    verifies('session.turns-queue');
    const { engine } = await house();
    const answers = await Promise.all([1, 2, 3].map((n) => engine.call('chat', { input: n })));
    const heard = answers.map((one) => json<{ output: { before: Json[] } }>(one).output.before.length);
    expect(heard).toEqual([0, 2, 4]);
  });

  it('are refused while one waits for a human, unless they begin anew', async () => {
    verifies('session.waits');
    const { engine, store } = await house();
    const waits = await engine.call('talk', { input: 'a' });
    expect(waits.status).toBe(202);
    const refused = await engine.call('talk', { input: 'b' });
    expect(refused).toMatchObject({ status: 409, body: { run: { status: 'awaiting_approval' } } });
    const anew = await engine.call('talk', { input: 'c', reset: true });
    expect(anew.status).toBe(202);
    const { run_id: first } = json<{ run_id: string }>(waits);
    expect((await store.load(first)).runs[0]?.status).toBe('cancelled');
  });

  it('are not begun any more when those before took until their deadline', async () => {
    const gate = door();
    const after = (ms: number, task: () => unknown) => {
      const timer = setTimeout(task, ms);
      return () => clearTimeout(timer);
    };
    const { engine, store } = await house({}, { after });
    const pass = engine.life.point.bind(engine.life);
    // The first one stays in the middle of its call.
    engine.life.point = async (name) => {
      if (name === 'look') await gate.opened;
      await pass(name);
    };
    const first = engine.call('chat', { input: 1 });
    await until(async () => (await store.list({ limit: 1 }))[0]);
    const second = await engine.call('chat', { input: 2 }, { deadlineMs: performance.now() + 50 });
    expect(second).toMatchObject({ status: 504, body: { code: 'timeout' } });
    const third = engine.call('chat', { input: 3 });
    gate.open();
    expect((await first).status).toBe(200);
    expect(json<{ output: { before: Json[] } }>(await third).output.before).toHaveLength(2);
    expect(await store.list({ limit: 9 })).toHaveLength(2);
  });

  it('append nothing when they are cancelled', async () => {
    verifies('session.appended');
    const { engine } = await house();
    await engine.call('talk', { input: 'a' });
    await engine.call('talk', { input: 'b', reset: true });
    const { approval_id: id } = (await listed(engine)) as { approval_id: string };
    const answer = await engine.runner.decide(id, yes);
    expect(json<{ output: { before: Json[] } }>(answer).output.before).toEqual([]);
  });
});

async function listed(engine: Engine): Promise<unknown> {
  const { approvals } = json<{ approvals: unknown[] }>(await engine.call('get_svc_approvals'));
  return approvals[0];
}

describe('the control plane', () => {
  it('lists what waits for a human, and on whose behalf', async () => {
    verifies('approval.listing.members', 'approval.expiry.default');
    const { engine } = await house();
    const { run_id: runId } = json<{ run_id: string }>(await engine.call('intake'));
    const row = (await listed(engine)) as Record<string, number>;
    expect(row).toEqual({
      approval_id: expect.any(String),
      run_id: `${runId}.0`,
      root_run_id: runId,
      kind: 'agent',
      agent: 'clerk',
      path: ['intake', 'clerk'],
      caller: 'desk',
      tool: 'refund',
      arguments: {},
      requested_at_ms: expect.any(Number),
      expires_at_ms: expect.any(Number),
      age_secs: 0,
      ...{ status: 'pending', decided_by: null, decided_at_ms: null },
    });
    expect((row['expires_at_ms'] ?? 0) - (row['requested_at_ms'] ?? 0)).toBe(24 * 3_600_000);
  });

  it('lists runs by status and in pages, and shows one with its tree, steps and cost', async () => {
    verifies('run.listing', 'run.detail');
    const { engine } = await house();
    const ids: unknown[] = [];
    for (let i = 0; i < 3; i++) ids.unshift(json(await engine.call('chat'))['run_id']);
    const { run_id: waiting } = json(await engine.call('intake'));
    const list = async (values: Record<string, unknown>) =>
      json<{ runs: { run_id: string; status: string }[] }>(await engine.call('get_svc_runs', values)).runs;
    expect((await list({ status: 'completed' })).map((run) => run.run_id)).toEqual(ids);
    const [second] = await list({ status: 'completed', after: ids[0], limit: 1 });
    expect(second?.run_id).toBe(ids[1]);
    // What a row says can be asked for.
    expect(await list({ status: 'awaiting_approval' })).toMatchObject([
      { run_id: waiting, status: 'awaiting_approval' },
    ]);
    expect(await list({ status: 'waiting_provider' })).toEqual([]);
    for (const status of ['waiting', 'ready'])
      expect(await engine.call('get_svc_runs', { status }), status).toMatchObject({ status: 422 });
    const detail = json(await engine.call('get_svc_runs_by_id', { id: waiting }));
    expect(detail).toMatchObject({
      run_id: waiting,
      kind: 'flow',
      caller: 'desk',
      usage: { tree_tokens: 20, cost_usd: 0 },
      runs: [
        {
          run_id: `${String(waiting)}.0`,
          steps: [
            { kind: 'model', input_tokens: 10 },
            { kind: 'approval_requested', tool: 'refund' },
          ],
          usage: { tree_tokens: 20, cost_usd: 0.000005 },
        },
      ],
    });
  });

  it('answers decisions, cancels runs, and reports both', async () => {
    verifies(
      'audit.kind.run-started',
      'audit.kind.run-finished',
      'audit.kind.approval-requested',
      'audit.kind.approval-decided',
    );
    const { engine } = await house();
    await engine.call('clerk');
    const { approval_id: id } = (await listed(engine)) as { approval_id: string };
    const decided = await engine.call(
      'create_svc_approvals_by_id',
      { id, approve: true, note: 'fine' },
      { principal: boss },
    );
    expect(decided.status).toBe(200);
    const { run_id: other } = json(await engine.call('clerk'));
    const cancelled = await engine.call('create_svc_runs_by_id_cancel', { id: other }, { principal: boss });
    expect(json(cancelled)).toEqual({ run_id: other, status: 'cancelled' });
    const kinds = engine.events.map(({ kind }) => kind).filter((kind) => !kind.startsWith('tool_'));
    expect(kinds).toEqual([
      'run_started',
      'approval_requested',
      'approval_decided',
      'run_finished',
      'run_started',
      'approval_requested',
      'run_finished',
    ]);
  });
});

describe('a follower of a run', () => {
  it('sees each step once over the death of the process, and the result last', async () => {
    verifies('run.steps.seq', 'run.steps.once', 'run.steps.nested');
    const { engine, start, database } = await house();
    const waits = await engine.call('intake');
    const { run_id: runId } = json<{ run_id: string }>(waits);
    const before = await take(
      engine.runner.follow(runId, 'intake', 0, desk, new AbortController().signal),
      3,
    );
    engine.life.kill();
    await endLeases(database);
    const next = await start();
    const last = seqOf(before.at(-1));
    const after = all(next.runner.follow(runId, 'intake', last, desk, new AbortController().signal));
    await next.runner.decide(pendingOf(waits), yes);
    const events = [...before, ...(await after)];
    const ids = events.filter(({ event }) => event === 'step').map(seqOf);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    // Whether it waits when it is looked at is a matter of when the decision comes.
    const kinds = events
      .filter(({ event }) => event !== 'waiting')
      .map(({ event, data }) => (event === 'step' ? (data as { kind: string }).kind : event));
    const told = events.map(({ data }) => data as { run_id: string; kind?: string; agent?: string });
    const nested = told.filter(({ kind }) => kind === 'model');
    expect(nested.map(({ run_id, agent }) => [run_id, agent])).toEqual([
      [`${runId}.0`, 'clerk'],
      [`${runId}.0`, 'clerk'],
    ]);
    expect(kinds).toEqual([
      ...['run', 'model', 'approval_requested', 'run'],
      'approval_decided',
      'tool_call',
      'model',
      'tool_call',
      'result',
    ]);
    expect(events.at(-1)?.data).toMatchObject({ run_id: runId, status: 'completed' });
  });

  it('misses nothing that another process did meanwhile', async () => {
    const gate = door();
    const { engine, store } = await house({
      busy: async (ctx) => {
        const spec = { kind: 'context', name: 'slow', input: null, repeat: 'safe' } as const;
        const work = ctx.op(spec, async () => {
          await gate.opened;
          return 'slow';
        });
        return [await ctx.call('refund'), await work];
      },
    });
    const answer = engine.call('busy');
    const asked = await until(async () => (await store.approvals({ status: 'pending', limit: 1 }))[0]);
    const seen: Progress[] = [];
    const following = (async () => {
      for await (const event of engine.runner.follow(
        asked.rootId,
        'busy',
        0,
        desk,
        new AbortController().signal,
      ))
        seen.push(event);
    })();
    await until(async () => (seen.length > 1 ? true : undefined));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await store.decide(asked.approvalId, { status: 'approved', note: '', by: 'somebody' });
    gate.open();
    await answer;
    await following;
    expect(seen.map(({ data }) => (data as { kind?: string }).kind)).toEqual([
      undefined,
      'approval_requested',
      'approval_decided',
      'context',
      'tool_call',
      undefined,
    ]);
  });

  it('is nobody but the caller', async () => {
    const { engine } = await house();
    const { run_id: runId } = json<{ run_id: string }>(await engine.call('intake'));
    const others = engine.runner.follow(runId, 'intake', 0, boss, new AbortController().signal);
    await expect(all(others)).rejects.toMatchObject({ status: 404 });
  });

  it('leaves when its signal fires', async () => {
    const { engine } = await house();
    const { run_id: runId } = json<{ run_id: string }>(await engine.call('intake'));
    const leave = new AbortController();
    const events = all(engine.runner.follow(runId, 'intake', 0, desk, leave.signal));
    setTimeout(() => leave.abort(), 20);
    expect((await events).map(({ event }) => event)).toEqual(['run', 'step', 'step', 'waiting']);
  });
});

async function take(events: AsyncIterable<Progress>, count: number): Promise<Progress[]> {
  const seen: Progress[] = [];
  for await (const event of events) {
    seen.push(event);
    if (seen.length === count) break;
  }
  return seen;
}

async function all(events: AsyncIterable<Progress>): Promise<Progress[]> {
  return take(events, Number.POSITIVE_INFINITY);
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let i = 0; i < 5_000; i++) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise(setImmediate);
  }
  throw new Error('it does not come');
}

describe('the time of a run', () => {
  const slow = async (ctx: Ctx): Promise<Json> =>
    ctx.scope.op<Json>(
      { kind: 'model', name: 'm', input: null, repeat: 'safe' },
      () =>
        new Promise((_, reject) =>
          ctx.scope.signal.addEventListener('abort', () => reject(new Error('aborted'))),
        ),
    );
  const timers = {
    after: (ms: number, task: () => unknown) => {
      const timer = setTimeout(task, ms);
      return () => clearTimeout(timer);
    },
  };

  it('ends the leg: 504 with the run, and the work is given up', async () => {
    verifies('run.leg.deadline', 'run.failed.status');
    const { engine, store } = await house({ slow }, timers);
    const answer = await engine.call('slow', {}, { deadlineMs: performance.now() + 60 });
    expect(answer).toMatchObject({ status: 504, body: { code: 'timeout', run: { status: 'failed' } } });
    expect(answer.body).toHaveProperty('detail', expect.stringMatching(/^timed out after 0(\.\d+)? s$/));
    expect((await store.list({ limit: 1 }))[0]?.error).toMatchObject({ code: 'timeout', status: 504 });
  });

  it('does not count while it waits for a human', async () => {
    // A clock that goes on when the test says so.
    let nowMs = 0;
    const armed = new Map<() => unknown, number>();
    const after = (ms: number, task: () => unknown) => {
      if (ms > 0) armed.set(task, nowMs + ms);
      else setImmediate(task);
      return () => void armed.delete(task);
    };
    const { engine } = await house({}, { monotonic: () => nowMs, after });
    const waits = await engine.call('clerk', {}, { deadlineMs: 300 });
    expect(waits.status).toBe(202);
    nowMs = 400;
    for (const [task, dueMs] of armed) if (dueMs <= nowMs) task();
    expect((await engine.runner.decide(pendingOf(waits), yes)).status).toBe(200);
  });
});

describe('shutdown', () => {
  it('lets a step under way end, gives the run back, and tells its caller', async () => {
    verifies('http.shutdown.runs', 'run.shutdown.nothing-new');
    const gate = door();
    const { engine, start, store } = await house({
      work: async (ctx) => {
        const first = await ctx.scope.op<Json>(
          { kind: 'run', name: 'x', input: null, repeat: 'safe' },
          async () => {
            ctx.world.happened('first');
            await gate.opened;
            return { value: 1 };
          },
        );
        return [first, await ctx.must('once')];
      },
    });
    const answer = engine.call('work');
    await until(async () => (engine.world.count('first') > 0 ? true : undefined));
    engine.shutdown();
    gate.open();
    expect(await answer).toMatchObject({ status: 503, body: { run: { status: 'running' } } });
    expect((await store.list({ limit: 1 }))[0]?.status).toBe('ready');
    const next = await start({ world: engine.world });
    const [run] = await store.list({ limit: 1 });
    const done = await until(async () => {
      const read = await next.runner.read(run?.runId ?? '', 'work', desk);
      return read.status === 200 ? read : undefined;
    });
    expect(json(done)).toMatchObject({ output: [1, { done: 'once' }] });
    expect(engine.world.count('first')).toBe(1);
  });

  it('takes no new runs', async () => {
    verifies('run.shutdown.nothing-new');
    const { engine } = await house();
    engine.shutdown();
    expect((await engine.call('chat')).status).toBe(503);
  });
});
