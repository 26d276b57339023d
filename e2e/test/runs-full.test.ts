/** What a caller is told whose run cannot be stored any more, and what becomes of the run. */
import { HTTPError } from '@waymark/contract';
import type { LastingOutage } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import type { SqlDatabase } from '@waymark/data';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Ctx, runRoute, type Stage } from './runs/drivers.ts';
import { boss, json, openState, startEngine } from './runs/engine.ts';

/** A database that refuses writes while it is told to. */
function refusing(database: SqlDatabase) {
  const write = database.write.bind(database);
  let refused = 0;
  let error: HTTPError | undefined;
  database.write = (...args) => {
    if (!error) return write(...args);
    refused++;
    return Promise.reject(error);
  };
  return {
    refused: () => refused,
    begin: (code?: LastingOutage) => {
      const headers = { 'retry-after': '1' };
      error = new HTTPError(503, 'the database is full', { headers, ...(code && { code }) });
    },
    end: () => {
      error = undefined;
    },
  };
}

type Outage = ReturnType<typeof refusing>;

/** An engine with one behaviour. */
async function start(body: (ctx: Ctx, outage: Outage) => Promise<null>) {
  const { database, store } = await openState();
  const outage = refusing(database);
  const engine = await startEngine(database, (stage: Stage) => [
    runRoute('behaviour', 'works', (ctx: Ctx) => body(ctx, outage), stage),
  ]);
  onTestFinished(async () => {
    outage.end();
    await engine.stop();
    await database.close();
  });
  const statusOf = async (): Promise<unknown> => (await store.list({ limit: 1 }))[0]?.status;
  const becomes = async (status: string): Promise<void> => {
    await expect.poll(statusOf).toBe(status);
  };
  return { engine, outage, becomes };
}

const later = {
  status: 503,
  headers: { 'retry-after': '1' },
  body: {
    kind: 'problem',
    detail: 'the run goes on when it can be stored, for now the database is full; ask for its answer later',
    run: { run_id: expect.any(String) as string, status: 'running' },
  },
};

describe('a run that cannot be stored', () => {
  it.each(['disk_full', 'disk_failing', 'database_gone'] as const)(
    'for %s answers its caller 503 with its id at once, and goes on behind it',
    async (code) => {
      verifies('run.not-stored');
      const { engine, outage, becomes } = await start(async (ctx, { begin }) => {
        await ctx.must('look');
        begin(code);
        await ctx.must('once');
        return null;
      });
      const answer = await engine.call('works');
      expect(answer).toMatchObject({ ...later, body: { ...later.body, code } });
      // It was not tried for a whole lease before.
      expect(outage.refused()).toBe(1);
      outage.end();
      await becomes('completed');
      expect(engine.events.filter(({ kind }) => kind === 'run_finished')).toHaveLength(1);
    },
  );

  it('and ends otherwise than well afterwards is nobody’s failure but its own', async () => {
    verifies('run.not-stored');
    const { engine, outage, becomes } = await start(async (ctx, { begin }) => {
      begin('disk_full');
      await ctx.must('fail');
      return null;
    });
    expect((await engine.call('works')).status).toBe(503);
    outage.end();
    // A rejection that nobody hears would end the process.
    await becomes('failed');
  });

  it('tells whoever listens to it the same', async () => {
    verifies('run.not-stored');
    const { engine, outage, becomes } = await start(async (ctx, { begin }) => {
      begin('disk_full');
      await ctx.must('look');
      return null;
    });
    const told: string[] = [];
    const observe = ({ event }: { readonly event: string }): void => void told.push(event);
    expect(await engine.call('works', {}, { observe })).toMatchObject(later);
    expect(told).toEqual(['run']);
    outage.end();
    await becomes('completed');
  });

  it('waits for its human as soon as that can be stored', async () => {
    verifies('run.not-stored');
    const { engine, outage, becomes } = await start(async (ctx, { begin }) => {
      begin('disk_full');
      await ctx.must('sign');
      return null;
    });
    expect(await engine.call('works')).toMatchObject(later);
    outage.end();
    await becomes('waiting');
  });

  it('answers whoever decided on it, too', async () => {
    verifies('run.not-stored');
    const { engine, outage, becomes } = await start(async (ctx, { begin }) => {
      await ctx.must('sign');
      begin('disk_full');
      await ctx.must('look');
      return null;
    });
    const waiting = await engine.call('works');
    const [asked] = json<{ pending_approvals: { approval_id: string }[] }>(waiting).pending_approvals;
    const decision = { approve: true, note: '', by: boss };
    expect(await engine.runner.decide(asked?.approval_id ?? '', decision)).toMatchObject(later);
    outage.end();
    await becomes('completed');
  });

  it('for a reason that passes by itself keeps its caller waiting', async () => {
    const { engine, outage } = await start(async (ctx, { begin }) => {
      begin();
      await ctx.must('look');
      return null;
    });
    const answer = engine.call('works');
    await expect.poll(() => outage.refused()).toBeGreaterThan(2);
    outage.end();
    expect((await answer).status).toBe(200);
  });
});
