/** What runs cost while they wait for a human: nothing in memory, little on disk; and what taking one up again costs. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Json } from '@waymark/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runRoute, type Stage } from '../test/runs/drivers.ts';
import { boss, json, openState, startEngine } from '../test/runs/engine.ts';

const parked = 10_000;
const steps = 1_000;
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

  it('are taken up again within 20 ms after 1,000 steps', async () => {
    const { database } = await openState(`file:${join(folder, 'long.db')}`);
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
    const times: number[] = [];
    for (let i = 0; i < 7; i++) {
      const waits = json<{ pending_approvals: { approval_id: string }[] }>(await engine.call('long'));
      const start = performance.now();
      const decision = { approve: true, note: '', by: boss };
      await engine.runner.decide(waits.pending_approvals[0]?.approval_id ?? '', decision);
      times.push(performance.now() - start);
    }
    process.stdout.write(`1,000 steps taken up again: ${Math.min(...times).toFixed(1)} ms\n`);
    expect(Math.min(...times)).toBeLessThan(20);
    await engine.stop();
    await database.close();
  });
});
