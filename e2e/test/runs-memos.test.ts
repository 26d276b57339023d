/** What a caller wants to find again with its runs, also after a restart. */
import { verifies } from '@waymark/contract/testing';
import { expect, it, onTestFinished } from 'vitest';
import { endLeases } from './kills/survive.ts';
import { agent, runRoute, type Stage } from './runs/drivers.ts';
import { boss, type Engine, json, openState, startEngine } from './runs/engine.ts';

const gated = agent([{ calls: [{ tool: 'refund', args: {} }] }, { text: 'bye' }]);

const routes = (stage: Stage) => [
  runRoute('agent', 'guard', gated, stage),
  runRoute('agent', 'broken', async (ctx) => ctx.must('fail'), stage),
];

async function opened() {
  const { database, store } = await openState();
  const engines: Engine[] = [];
  const start = async (): Promise<Engine> => {
    const engine = await startEngine(database, routes);
    engines.push(engine);
    return engine;
  };
  onTestFinished(async () => {
    for (const engine of engines) {
      if (!engine.life.dead) await engine.stop();
      engine.life.kill();
    }
    await database.close();
  });
  return { database, store, start, first: await start() };
}

it('a memo is found with its run by the next process, until the end of the run is acknowledged', async () => {
  verifies('run.memo');
  const { database, store, start, first } = await opened();
  const asked = json<{ run_id: string }>(
    await first.call('guard', {}, { memo: { tick: 7 }, transient: true }),
  );
  await first.call('guard', {});
  first.life.kill();
  await endLeases(database);
  const { runner } = await start();
  const found = { rootId: asked.run_id, route: 'guard', principal: 'desk', memo: { tick: 7 } };
  const memos = async () => runner.memos({ principal: 'desk', limit: 9 });
  expect(await memos()).toMatchObject([{ ...found, status: 'waiting', waitsFor: 'awaiting_approval' }]);
  await runner.acknowledge(asked.run_id, 'awaiting_approval');
  expect(await memos()).toMatchObject([{ ...found, acknowledged: 'awaiting_approval' }]);
  const [approval] = await store.approvals({ status: 'pending', limit: 1 });
  await runner.decide(approval?.approvalId ?? '', { approve: true, note: '', by: boss });
  expect(await memos()).toMatchObject([{ ...found, status: 'completed', acknowledged: 'awaiting_approval' }]);
  await runner.acknowledge(asked.run_id, 'completed');
  expect(await memos()).toEqual([]);
});

it('a run with a memo that is retried is found again', async () => {
  verifies('run.memo');
  const { store, first } = await opened();
  expect((await first.call('broken', {}, { memo: null })).status).toBe(500);
  const [run] = await first.runner.memos({ limit: 9 });
  const rootId = run?.rootId ?? '';
  expect(run).toMatchObject({ memo: null, status: 'failed', route: 'broken' });
  await first.runner.acknowledge(rootId, 'failed');
  expect(await first.runner.memos({ limit: 9 })).toEqual([]);
  await store.retry(rootId, 'boss');
  expect(await first.runner.memos({ limit: 9 })).toMatchObject([
    { rootId, status: 'ready', acknowledged: null },
  ]);
});

it.each([
  [4_095, 202],
  [4_096, 202],
  [4_097, 500],
])('a memo of %i bytes is %i', async (bytes, status) => {
  verifies('run.memo');
  const { first } = await opened();
  // Two of them are quotes.
  const memo = 'x'.repeat(bytes - 2);
  expect((await first.call('guard', {}, { memo })).status).toBe(status);
  expect(await first.runner.memos({ limit: 9 })).toHaveLength(status === 202 ? 1 : 0);
});
