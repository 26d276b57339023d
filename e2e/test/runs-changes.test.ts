/** What becomes of stored runs when declarations and callers change between two processes. */
import type { Json, Route } from '@waymark/contract';
import type { Principal } from '@waymark/contract/principal';
import type { RunRecord } from '@waymark/contract/stores';
import { verifies } from '@waymark/contract/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { endLeases } from './kills/survive.ts';
import { agent, type Ctx, type Reply, runRoute, type Stage } from './runs/drivers.ts';
import { boss, type Engine, type EngineOptions, json, openState, startEngine } from './runs/engine.ts';
import { Life, World } from './runs/world.ts';

const engines: Engine[] = [];

afterEach(async () => {
  for (const engine of engines.splice(0)) {
    // What is dead gives nothing back.
    if (!engine.life.dead) await engine.stop();
    engine.life.kill();
  }
});

type Routes = (stage: Stage) => readonly Route[];

/** A run that waits in one process, and is decided on in the next, where `after` is declared. */
async function acrossProcesses(
  before: Routes,
  after: Routes,
  start: string,
  { approve = true, ...options }: EngineOptions & { readonly approve?: boolean } = {},
) {
  const { database, store } = await openState();
  const first = await startEngine(database, before);
  engines.push(first);
  const waits = await first.call(start);
  expect(waits.status).toBe(202);
  first.life.kill();
  const next = await startEngine(database, after, { world: first.world, ...options });
  engines.push(next);
  const [pending] = await store.approvals({ status: 'pending', limit: 1 });
  const answer = await next.runner.decide(pending?.approvalId ?? '', { approve, note: '', by: boss });
  const [run] = await store.list({ limit: 1 });
  return { answer, run, world: next.world, store };
}

const behaviour =
  (body: (ctx: Ctx) => Promise<Json>): Routes =>
  (stage) => [runRoute('behaviour', 'plan', body, stage)];

describe('a behaviour that was edited while it waited', () => {
  const gated = async (ctx: Ctx): Promise<Json> => [
    await ctx.must('look', { n: 1 }),
    await ctx.must('refund'),
  ];

  it('goes on when what it asked for is the same', async () => {
    const after = behaviour(async (ctx) => [
      await ctx.must('look', { n: 1 }),
      await ctx.must('refund'),
      await ctx.must('row'),
    ]);
    const { answer } = await acrossProcesses(behaviour(gated), after, 'plan');
    expect(json<{ output: Json[] }>(answer).output).toHaveLength(3);
  });

  it.each<[string, (ctx: Ctx) => Promise<Json>]>([
    ['other arguments', async (ctx) => [await ctx.must('look', { n: 2 }), await ctx.must('refund')]],
    ['another order', async (ctx) => [await ctx.must('refund'), await ctx.must('look', { n: 1 })]],
    ['fewer steps', async (ctx) => ctx.must('look', { n: 1 })],
    [
      'a catch around it',
      async (ctx) => {
        await ctx.must('once').catch(() => {});
        return ctx.must('once');
      },
    ],
  ])('fails before anything executes: %s', async (_, after) => {
    verifies('run.failed.status');
    const { answer, run, world } = await acrossProcesses(behaviour(gated), behaviour(after), 'plan');
    expect(answer).toMatchObject({ status: 500, body: { code: 'replay_mismatch' } });
    expect(run?.error?.code).toBe('replay_mismatch');
    expect(run?.error?.message).toMatch(/^run \w+ differs from its journal at step \d: recorded .*, asked /);
    expect([...world.effects.keys()]).toEqual(['look']);
  });

  it('fails the root, not the parent that would catch it', async () => {
    const parent = (stage: Stage) => runRoute('flow', 'top', async (ctx) => ctx.call('plan'), stage);
    const before: Routes = (stage) => [...behaviour(gated)(stage), parent(stage)];
    const after: Routes = (stage) => [...behaviour((ctx) => ctx.must('once'))(stage), parent(stage)];
    const { run, store } = await acrossProcesses(before, after, 'top');
    expect(run).toMatchObject({ status: 'failed', error: { code: 'replay_mismatch' } });
    const { runs } = await store.load(run?.runId ?? '');
    expect(runs.map(({ status }) => status)).toEqual(['failed', 'cancelled']);
  });
});

describe('declarations and callers of today', () => {
  const clerk =
    (text: string): Routes =>
    (stage) => [
      runRoute('agent', 'clerk', agent([{ calls: [{ tool: 'refund', args: {} }] }, { text }]), stage),
    ];

  it('go on with another prompt or model', async () => {
    const { answer } = await acrossProcesses(clerk('old'), clerk('new'), 'clerk');
    expect(json<{ output: { said: Json } }>(answer).output.said).toMatchObject({ text: 'new' });
  });

  it('end the run when its route is gone', async () => {
    verifies('run.failed.status');
    const { answer, run } = await acrossProcesses(clerk('old'), () => [], 'clerk');
    expect(answer).toMatchObject({ status: 500, body: { code: 'declaration_gone' } });
    expect(run).toMatchObject({ status: 'failed', error: { code: 'declaration_gone' } });
  });

  it('end the run when its input does not fit any more', async () => {
    const after: Routes = (stage) =>
      clerk('new')(stage).map((route) => ({
        ...route,
        parameters: [{ name: 'must', place: 'body', schema: { type: 'string' }, required: true }] as const,
        inputSchema: { type: 'object', properties: { must: { type: 'string' } }, required: ['must'] },
      }));
    const { run } = await acrossProcesses(clerk('old'), after, 'clerk');
    expect(run).toMatchObject({ status: 'failed', error: { code: 'declaration_gone' } });
  });

  it('end the run when its caller is gone', async () => {
    verifies('run.failed.status');
    const { answer, run, world } = await acrossProcesses(clerk('old'), clerk('old'), 'clerk', {
      today: () => undefined,
    });
    expect(answer).toMatchObject({ status: 500, body: { code: 'caller_gone' } });
    expect(run?.error?.code).toBe('caller_gone');
    expect([...world.effects.keys()]).toEqual(['model']);
  });

  it('take authority away from a run that waits', async () => {
    const { answer, world } = await acrossProcesses(clerk('old'), clerk('old'), 'clerk', {
      today: (principal) => ({ ...principal, scopes: [] }),
    });
    expect(json<{ output: { seen: Json } }>(answer).output.seen).toMatchObject([{ ok: false, status: 403 }]);
    expect([...world.effects.keys()]).toEqual(['model']);
  });

  it('take authority away when the declaration does, below it too', async () => {
    const granted =
      (scopes: readonly string[]): Routes =>
      (stage) => [
        runRoute('flow', 'top', (ctx) => ctx.must('clerk'), stage),
        runRoute('agent', 'clerk', (ctx) => ctx.call('refund'), stage, {
          scopes,
        }),
      ];
    const { answer, world } = await acrossProcesses(granted(['use']), granted(['other']), 'top');
    expect(json<{ output: { output: Json } }>(answer).output.output).toMatchObject({
      ok: false,
      status: 403,
    });
    expect(world.effects.size).toBe(0);
  });

  it('never give it any', async () => {
    const wider: Routes = (stage) => [
      runRoute(
        'agent',
        'clerk',
        async (ctx) => [(await ctx.call('sign')).ok, ctx.scope.principal.scopes],
        stage,
        { scopes: ['use', 'other', 'more'] },
      ),
    ];
    const narrow: Routes = (stage) => [
      runRoute('agent', 'clerk', async (ctx) => [(await ctx.call('sign')).ok] as Json, stage, {
        scopes: ['use', 'more'],
      }),
    ];
    const { answer } = await acrossProcesses(narrow, wider, 'clerk', {
      today: (principal: Principal) => ({ ...principal, scopes: ['use', 'other', 'more'] }),
    });
    expect(json(answer)['output']).toEqual([true, ['use']]);
  });

  it('keep the limits that the run began with', async () => {
    const limited =
      (tokenBudget: number): Routes =>
      (stage) => [
        runRoute(
          'agent',
          'clerk',
          async (ctx) => [(await ctx.call('refund')).ok, ctx.scope.usage().tokenBudget] as Json,
          stage,
          { tokenBudget },
        ),
      ];
    const { answer } = await acrossProcesses(limited(100), limited(999), 'clerk');
    expect(json(answer)['output']).toEqual([true, 100]);
  });
});

/** A step that ends its process each time. */
function killing(life: Life): Reply {
  life.kill();
  return { text: 'never' };
}

describe('a run that ends its process again and again', () => {
  it('is given up after five times', async () => {
    verifies('run.failed.status');
    const { database, store } = await openState();
    const world = new World();
    let run: RunRecord | undefined;
    for (let deaths = 0; deaths < 7 && run?.status !== 'failed'; deaths++) {
      const life = new Life();
      const engine = await startEngine(
        database,
        behaviour((ctx) => ctx.model(() => killing(life)) as Promise<Json>),
        {
          life,
          world,
        },
      );
      if (!run) void engine.call('plan');
      for (let i = 0; i < 500 && !life.dead && run?.status !== 'failed'; i++) {
        await new Promise(setImmediate);
        [run] = await store.list({ limit: 1 });
      }
      await endLeases(database);
    }
    expect(run).toMatchObject({ status: 'failed', error: { code: 'crash_loop', status: 500 } });
    expect(world.count('model')).toBe(5);
  });
});
