/** Deliveries of what happens to runs: none is lost, and none is of what did not happen. */
import assert from 'node:assert/strict';
import type { Values } from '@waymark/contract';
import { byTier, verifies } from '@waymark/contract/testing';
import type { SqlDatabase } from '@waymark/data';
import type { RunNotices } from '@waymark/runs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Loaded } from './kills/kill-series.ts';
import { endLeases, expireAll, type Played, say, survive } from './kills/survive.ts';
import { agent, runRoute, type Stage } from './runs/drivers.ts';
import { boss, desk, type EngineOptions, json, openState, startEngine } from './runs/engine.ts';
import { shapes } from './runs/shapes.ts';
import { Life } from './runs/world.ts';

const endpoint = 'desk';

const notices: RunNotices = {
  approvalRequested: ({ approvalId: id, tool }) => [{ id, endpoint, body: { tool } }],
  runFinished: ({ runId, status, error }, { tokens, costMicros, durationMs }) => {
    assert.ok(durationMs >= 0);
    const code = error?.code ?? null;
    return [{ id: `${runId}:${status}`, endpoint, body: { status, code, tokens, costMicros } }];
  },
};

/** What waits to be delivered, by id. */
async function told(database: SqlDatabase): Promise<ReadonlyMap<string, Values>> {
  const rows = await database.many('select id, delivery from svc__outbox');
  return new Map(rows.map(({ id, delivery }) => [String(id), JSON.parse(String(delivery)).body]));
}

/** All that happened, and nothing else. */
async function checkTold(database: SqlDatabase, { runs: [root], approvals }: Loaded): Promise<void> {
  assert.ok(root);
  const ended = root.endedMs === null ? [] : [`${root.runId}:${root.status}`];
  const happened = [...approvals.map(({ approvalId }) => approvalId), ...ended];
  assert.deepEqual([...(await told(database)).keys()].sort(), happened.sort());
}

/** Those that ask a human in another way each. */
const asking: readonly Played[] = shapes
  .filter(({ start }) => ['clerk', 'top', 'wide', 'mixed', 'talk'].includes(start))
  .map((shape) => ({ ...shape, notices }));

const stride = byTier({ quick: 16, slow: 13, drill: 4 });

describe.each(asking.map((shape, i) => ({ shape, name: shape.name, first: 1 + (i % stride) })))(
  'a process that dies while it tells: $name',
  ({ shape, first }) => {
    it.each(['approve', 'deny', 'expire'] as const)(
      'each thing is told that happened (%s)',
      async (policy) => {
        verifies('run.notices');
        const play = (deaths: readonly number[], trouble?: number) =>
          survive({
            ...{ shape, policy, deaths, trouble },
            async decide(engine, loaded, database) {
              await checkTold(database, loaded);
              if (policy === 'expire') return expireAll(engine, database);
              const open = loaded.approvals.find(({ status }) => status === 'pending');
              assert.ok(open);
              return say(engine, open.approvalId, policy === 'approve');
            },
            check: async (_, loaded, database) => checkTold(database, loaded),
          });
        const { points, uses } = await play([]);
        expect(points).toBeGreaterThan(20);
        for (let at = first; at <= points; at += stride) await play([at]);
        for (let at = first; at <= uses; at += 2 * stride) await play([], at);
      },
    );
  },
);

const gated = agent([{ calls: [{ tool: 'refund', args: {} }] }, { text: 'bye' }]);

async function opened(options: EngineOptions = {}) {
  const { database, store } = await openState();
  const start = async (more: EngineOptions = {}) => {
    const routes = (stage: Stage) => [
      runRoute('agent', 'clerk', gated, stage, {
        session: ({ session_id: id, reset = false }) =>
          typeof id === 'string' ? { key: `clerk:${id}`, reset: reset === true } : undefined,
      }),
      runRoute('agent', 'slow', () => new Promise<never>(() => {}), stage, { timeoutMs: 20 }),
    ];
    const engine = await startEngine(database, routes, { notices, ...options, ...more });
    onTestFinished(async () => {
      if (!engine.life.dead) await engine.stop();
      engine.life.kill();
    });
    return engine;
  };
  onTestFinished(() => database.close());
  const ask = async (engine: Awaited<ReturnType<typeof start>>, input: Values = {}) =>
    json<{ run_id: string }>(await engine.call('clerk', input)).run_id;
  return { database, store, start, ask, ends: async () => endsOf(await told(database)) };
}

function endsOf(all: ReadonlyMap<string, Values>): readonly string[] {
  return [...all.keys()].filter((id) => id.includes(':')).map((id) => id.split(':')[1] ?? '');
}

describe('the end of a run', () => {
  it('is told with what it used', async () => {
    verifies('run.notices');
    const { database, store, start, ask } = await opened();
    const engine = await start();
    const runId = await ask(engine);
    const [open] = await store.approvals({ status: 'pending', limit: 1 });
    await engine.runner.decide(open?.approvalId ?? '', { approve: true, note: '', by: boss });
    const { spend } = await store.load(runId);
    const tokens = spend.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
    expect(tokens).toBeGreaterThan(0);
    expect((await told(database)).get(`${runId}:completed`)).toEqual({
      ...{ status: 'completed', code: null, tokens },
      costMicros: spend.reduce((sum, { costMicros }) => sum + (costMicros ?? 0), 0),
    });
  });

  it('is told once when it is cancelled, wherever a process dies of it', async () => {
    verifies('run.notices');
    for (let at = 1; ; at++) {
      const { store, start, ask, ends } = await opened();
      const runId = await ask(await start());
      const life = new Life();
      const engine = await start({ life });
      const idle = life.points;
      const dying = new Life(idle + at);
      const second = await start({ life: dying });
      await Promise.race([second.runner.cancel(runId, desk), dying.died]);
      const [root] = await store.list({ limit: 1 });
      expect(await ends()).toEqual(root?.status === 'cancelled' ? ['cancelled'] : []);
      await engine.runner.cancel(runId, desk).catch(() => {});
      expect(await ends()).toEqual(['cancelled']);
      if (!dying.dead) {
        expect(at).toBeGreaterThan(4);
        return;
      }
    }
  });

  it('is told when another turn of its session takes its place', async () => {
    verifies('run.notices');
    const { start, ask, ends } = await opened();
    const engine = await start();
    await ask(engine, { session_id: 's' });
    await ask(engine, { session_id: 's', reset: true });
    expect(await ends()).toEqual(['cancelled']);
  });

  it('is told when it cannot go on: its caller is gone, or its input', async () => {
    verifies('run.notices', 'run.input.interrupted');
    const { database, store, start, ask } = await opened();
    const engine = await start();
    const asked = await ask(engine);
    const cut = engine.call('clerk', {}, { transient: true, onRun: () => engine.life.kill() });
    await Promise.race([cut, engine.life.died]);
    await endLeases(database);
    const next = await start({ today: () => undefined });
    const [open] = await store.approvals({ status: 'pending', limit: 1 });
    await next.runner.decide(open?.approvalId ?? '', { approve: true, note: '', by: boss });
    const codes = async () =>
      [...(await told(database)).values()].flatMap(({ code }) => (code ? [code] : []));
    await expect.poll(async () => (await codes()).toSorted()).toEqual(['caller_gone', 'interrupted']);
    expect((await told(database)).get(`${asked}:failed`)).toMatchObject({ code: 'caller_gone' });
  });

  it('is told when it is out of time', async () => {
    verifies('run.notices');
    const { database, start } = await opened();
    const engine = await start();
    expect((await engine.call('slow')).status).toBe(504);
    expect([...(await told(database)).values()]).toMatchObject([{ status: 'failed', code: 'timeout' }]);
  });

  it('comes about although nobody can say how to tell of it', async () => {
    verifies('run.notices');
    const lines: string[] = [];
    const broken = (): never => {
      throw new Error('a bug');
    };
    const { database, start, ask } = await opened();
    const engine = await start({
      notices: { approvalRequested: broken, runFinished: broken },
      log: (_, message) => void lines.push(message),
    });
    const runId = await ask(engine);
    await engine.runner.cancel(runId, desk);
    expect(lines).toEqual(Array(2).fill('the deliveries of a run could not be made'));
    expect(await told(database)).toEqual(new Map());
  });
});
