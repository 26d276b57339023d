/** Two releases on one database, as a rolling update has them for a while: what the older one lacks is the newer one's. */
import type { Json, Route, Values } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { afterEach, expect, it } from 'vitest';
import { endLeases } from './kills/survive.ts';
import { runRoute, type Stage } from './runs/drivers.ts';
import { boss, type Engine, type EngineOptions, json, openState, startEngine } from './runs/engine.ts';
import { World } from './runs/world.ts';

const engines: Engine[] = [];

afterEach(async () => {
  for (const engine of engines.splice(0)) {
    // What is dead gives nothing back.
    if (!engine.life.dead) await engine.stop();
    engine.life.kill();
  }
});

type Routes = (stage: Stage) => readonly Route[];

const oldRelease: Routes = (stage) => [runRoute('flow', 'both', async (ctx) => ctx.must('refund'), stage)];
const newRelease: Routes = (stage) => [
  ...oldRelease(stage),
  runRoute('flow', 'new_flow', async (ctx): Promise<Json> => [await ctx.must('refund')], stage),
];

/** The newer release has another parameter, and the older one refuses what it was given. */
const narrowed: Routes = (stage) =>
  oldRelease(stage).map((route) => ({
    ...route,
    parameters: [{ name: 'must', place: 'body', schema: { type: 'string' }, required: true }] as const,
    inputSchema: { type: 'object', properties: { must: { type: 'string' } }, required: ['must'] },
  }));

const yes = { approve: true, note: '', by: boss };

const control = (engine: Engine, name: string, values: Values) =>
  engine.call(name, values, { principal: boss });

/** A database on which the older release starts first, then the newer one, which begins a run of each name. */
async function rolling(
  names: readonly string[],
  { routes = oldRelease, ...of }: EngineOptions & { routes?: Routes } = {},
) {
  const { database, store } = await openState();
  const world = new World();
  const begin = async (release: Routes, options: EngineOptions = {}): Promise<Engine> => {
    const engine = await startEngine(database, release, { world, ...options });
    engines.push(engine);
    return engine;
  };
  const startOld = () => begin(routes, { boot: 'old', ...of });
  const startNew = () => begin(newRelease);
  const older = await startOld();
  const newer = await startNew();
  for (const name of names) expect((await newer.call(name)).status).toBe(202);
  const pending = await store.approvals({ status: 'pending', limit: 500 });
  const rows = () => database.many('select name, status, epoch, attempts from svc__run order by id');
  /** As another process that ended right behind it. */
  const approveAll = async (): Promise<void> => {
    for (const { approvalId } of pending)
      await store.decide(approvalId, { status: 'approved', note: '', by: 'boss' });
  };
  return { database, store, world, older, newer, pending, rows, approveAll, startOld, startNew, begin };
}

it('a decision that reaches the older release is stored once, and the newer one goes on with the run', async () => {
  verifies('runs.release.newer');
  const { store, older, newer, world, pending, startNew } = await rolling(['new_flow', 'new_flow']);
  newer.life.kill();
  for (const { approvalId, rootId } of pending) {
    const answer = await older.runner.decide(approvalId, yes);
    const detail = 'the run goes on at an instance that has "new_flow"';
    expect([answer.status, json(answer)]).toEqual([202, { run_id: rootId, status: 'running', detail }]);
    await expect(older.runner.decide(approvalId, yes)).rejects.toMatchObject({ status: 409 });
  }
  await startNew();
  await expect.poll(() => store.countRoots(0)).toEqual(new Map([['completed', 2]]));
  expect([...world.effects.values()]).toEqual([1, 1]);
});

it('what only the newer release has is decided on there, where it is declared who may', async () => {
  verifies('runs.release.newer');
  const gone = { routes: () => [], tools: false };
  const { older, newer, pending, store } = await rolling(['new_flow'], gone);
  const approvalId = pending[0]?.approvalId ?? '';
  await expect(older.runner.decide(approvalId, yes)).rejects.toMatchObject({
    ...{ status: 503, message: '"refund" is of the newer release: decide at an instance that has it' },
  });
  expect(await store.approvals({ status: 'pending', limit: 1 })).toHaveLength(1);
  expect((await newer.runner.decide(approvalId, yes)).status).toBe(200);
});

it('a run that the older release leaves is taken by it once, counts no attempt, and holds nobody up', async () => {
  verifies('runs.release.newer');
  const lines: unknown[] = [];
  const log: EngineOptions['log'] = (level, message, fields) =>
    lines.push([level, message, fields?.['route']]);
  // More than are taken at once, and the one that can go on comes last.
  const names = ['new_flow', 'new_flow', 'new_flow', 'new_flow', 'new_flow', 'both'];
  const { database, newer, rows, approveAll, startOld, startNew } = await rolling(names, {
    maxResumed: 2,
    log,
  });
  newer.life.kill();
  await approveAll();
  // Killed in the middle of one of them.
  await database.write([
    { sql: "update svc__run set status = 'running' where id = (select min(id) from svc__run)" },
  ]);
  await endLeases(database);
  for (let restart = 0; restart < 6; restart++) {
    const older = await startOld();
    await expect
      .poll(rows)
      .toMatchObject([
        ...names
          .slice(0, 5)
          .map((name, i) => ({ name, status: 'ready', epoch: 2, attempts: i === 0 ? 1 : 0 })),
        { name: 'both', status: 'completed' },
      ]);
    await older.stop();
    older.life.kill();
  }
  const said = 'runs are left to the newer release, which had them: this one cannot go on with them';
  expect(lines).toEqual([['warn', said, 'new_flow']]);
  await startNew();
  await expect.poll(rows).toMatchObject(names.map((name) => ({ name, status: 'completed' })));
});

it('a run whose caller or input the older release does not know is left, too', async () => {
  verifies('runs.release.newer');
  const refusals = [{ routes: narrowed }, { today: () => undefined }];
  for (const refusal of refusals) {
    const { store, older, newer, pending, startNew } = await rolling(['both'], refusal);
    newer.life.kill();
    const answer = await older.runner.decide(pending[0]?.approvalId ?? '', yes);
    const detail = 'the run goes on at an instance of the newer release';
    expect([answer.status, json(answer)]).toMatchObject([202, { status: 'running', detail }]);
    await startNew();
    await expect.poll(() => store.list({ limit: 1 })).toMatchObject([{ status: 'completed' }]);
  }
});

it("a retry, a fork and a cancellation at the older release are of the newer one's run", async () => {
  verifies('runs.release.newer');
  const { store, older, newer, pending, rows, startNew } = await rolling(['new_flow']);
  const [approvalId, rootId] = [pending[0]?.approvalId ?? '', pending[0]?.rootId ?? ''];
  await newer.runner.decide(approvalId, { ...yes, approve: false });
  expect(await rows()).toMatchObject([{ status: 'failed' }]);
  newer.life.kill();
  const retried = await control(older, 'create_svc_runs_by_id_retry', { id: rootId });
  expect([retried.status, json(retried)]).toMatchObject([202, { run_id: rootId, status: 'running' }]);
  const forked = await control(older, 'create_svc_runs_by_id_fork', { id: rootId, at: 1 });
  const { run_id: forkId } = json<{ run_id: string }>(forked);
  await expect
    .poll(async () => [await store.isLeft(rootId, ''), await store.isLeft(forkId, '')])
    .toEqual([true, true]);
  await startNew();
  await expect.poll(rows).toMatchObject([{ status: 'waiting' }, { status: 'waiting' }]);
  await older.runner.cancel(forkId, boss);
  expect(await store.list({ limit: 1 })).toMatchObject([{ runId: forkId, status: 'cancelled' }]);
});

it('a run whose declaration was removed fails at once at whoever starts later, also after a rollback', async () => {
  verifies('runs.release.newer');
  const { older, newer, pending, rows, approveAll, begin } = await rolling(['new_flow', 'new_flow']);
  newer.life.kill();
  await older.runner.decide(pending[0]?.approvalId ?? '', yes);
  await older.stop();
  older.life.kill();
  // Both lack it, and so did the one that has left a run.
  await begin(oldRelease);
  const last = await begin(oldRelease);
  await expect.poll(rows).toMatchObject([{ status: 'failed' }, { status: 'waiting' }]);
  await approveAll();
  const gone = await control(last, 'create_svc_runs_by_id_retry', { id: pending[0]?.rootId });
  expect(gone).toMatchObject({ status: 500, body: { code: 'declaration_gone' } });
});
