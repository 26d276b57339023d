/** What runs cost while they wait for a human: nothing in memory, little on disk; and what taking one up again costs. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Json } from '@waymark/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ctx, runRoute, type Stage } from '../test/runs/drivers.ts';
import { boss, type Engine, json, openState, startEngine } from '../test/runs/engine.ts';

const parked = 10_000;
const mebibyte = 1_048_576;

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parked-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Bytes in use when everything that can go has gone. */
async function heapUsed(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let i = 0; i < 5; i++) {
    collect();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed;
}

describe('runs that wait', () => {
  it('leave nothing in memory, and less than 4 KB each on disk', async () => {
    const file = join(folder, 'parked.db');
    const { database } = await openState(`file:${file}`);
    const ambient = new AsyncLocalStorage<{ readonly large: Json }>();
    let finals = 0;
    let collected = 0;
    const frames = new FinalizationRegistry(() => collected++);
    const routes = (stage: Stage) => [
      runRoute(
        'behaviour',
        'waits',
        (ctx) =>
          ambient.run({ large: 'x'.repeat(10_000) }, async () => {
            const held = { large: 'y'.repeat(10_000) };
            frames.register(held, undefined);
            try {
              const seen = await ctx.must('look', { n: 1 });
              return [
                seen,
                await ctx.must('refund'),
                held.large.length,
                ambient.getStore()?.large?.toString() ?? '',
              ];
            } finally {
              finals++;
            }
          }),
        stage,
      ),
    ];
    const engine = await startEngine(database, routes);
    const wait = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i += 50)
        await Promise.all(Array.from({ length: 50 }, () => engine.call('waits')));
      engine.events.length = 0;
      engine.life.trace.length = 0;
      engine.world.given.clear();
    };
    // Caches are filled first: they are not the runs'.
    await wait(500);
    const before = await heapUsed();
    await wait(parked);
    const after = await heapUsed();
    expect(finals).toBe(0);
    expect(collected).toBeGreaterThan(0.99 * parked);
    expect(after - before).toBeLessThan(mebibyte);
    await database.many('pragma wal_checkpoint(truncate)').catch(() => []);
    await database.close();
    const { size } = await stat(file);
    process.stdout.write(
      `parked ${parked}: heap ${((after - before) / 1_024).toFixed(0)} KiB in all, disk ${(size / (parked + 500)).toFixed(0)} bytes each\n`,
    );
    expect(size / (parked + 500)).toBeLessThan(4_096);
  });

  it.each([
    [50, 5],
    [1_000, 20],
  ])('are taken up again after %i steps within %i ms', async (steps, mostMs) => {
    const { database } = await openState(`file:${join(folder, `long-${steps}.db`)}`);
    const routes = (stage: Stage) => [
      runRoute(
        'behaviour',
        'long',
        async (ctx) => {
          const spec = { kind: 'context', name: 'x', input: null, repeat: 'safe' } as const;
          for (let i = 0; i < steps; i++) await ctx.scope.op<Json>(spec, async () => ({ value: i }));
          return ctx.must('refund');
        },
        stage,
      ),
    ];
    const engine = await startEngine(database, routes);
    const least = await leastOf(9, () => decided(engine, 'long'));
    process.stdout.write(`${steps} steps taken up again: ${least.resumeMs.toFixed(1)} ms\n`);
    expect(least.resumeMs).toBeLessThan(mostMs);
    await engine.stop();
    await database.close();
  });

  it('cost less than 1 ms more than those that need nobody', async () => {
    const { database } = await openState(`file:${join(folder, 'short.db')}`);
    const body = (tool: string) => async (ctx: Ctx) => [await ctx.must('look'), await ctx.must(tool)];
    const routes = (stage: Stage) =>
      ['once', 'refund'].map((tool) => runRoute('behaviour', `with_${tool}`, body(tool), stage));
    const engine = await startEngine(database, routes);
    const plain = await leastOf(100, async () => {
      const startMs = performance.now();
      await engine.call('with_once');
      return { wholeMs: performance.now() - startMs, resumeMs: 0 };
    });
    const gated = await leastOf(100, () => decided(engine, 'with_refund'));
    const moreMs = gated.wholeMs - plain.wholeMs;
    process.stdout.write(
      `a run without waiting ${plain.wholeMs.toFixed(2)} ms, waiting and going on ${moreMs.toFixed(2)} ms more\n`,
    );
    expect(moreMs).toBeLessThan(1);
    await engine.stop();
    await database.close();
  });
});

interface Took {
  readonly wholeMs: number;
  readonly resumeMs: number;
}

/** How long a run takes that waits for somebody who is quick, in all and from the decision on. */
async function decided(engine: Engine, name: string): Promise<Took> {
  const startMs = performance.now();
  const waits = json<{ pending_approvals: { approval_id: string }[] }>(await engine.call(name));
  const decidedMs = performance.now();
  const decision = { approve: true, note: '', by: boss };
  await engine.runner.decide(waits.pending_approvals[0]?.approval_id ?? '', decision);
  const endMs = performance.now();
  return { wholeMs: endMs - startMs, resumeMs: endMs - decidedMs };
}

/** Where nothing else disturbed it. */
async function leastOf(times: number, measure: () => Promise<Took>): Promise<Took> {
  const all: Took[] = [];
  for (let i = 0; i < times; i++) all.push(await measure());
  return {
    wholeMs: Math.min(...all.map(({ wholeMs }) => wholeMs)),
    resumeMs: Math.min(...all.map(({ resumeMs }) => resumeMs)),
  };
}
