/** What runs keep up when there is much of them, or when they are large. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '@waymark/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runRoute, type Stage } from './runs/drivers.ts';
import { boss, json, openState, startEngine } from './runs/engine.ts';

const spec = { kind: 'context', name: 'x', input: null, repeat: 'safe' } as const;

async function openFile() {
  const folder = mkdtempSync(join(tmpdir(), 'runs-load-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return openState(`file:${join(folder, 'runs.db')}`);
}

/** Ten times shorter than they are. */
const leaseMs = 3_000;

describe('leases', () => {
  it('are renewed while 50 runs keep their process busy, so that nobody takes them', async () => {
    const { database, store } = await openFile();
    const untilMs = Date.now() + leaseMs + 1_000;
    const routes = (stage: Stage) => [
      runRoute(
        'behaviour',
        'busy',
        async (ctx) => {
          let steps = 0;
          for (; Date.now() < untilMs; steps++)
            await ctx.scope.op<Json>(spec, async () => ({ value: steps }));
          return steps;
        },
        stage,
      ),
    ];
    const after = (ms: number, task: () => unknown) => {
      const timer = ms <= 250 ? setTimeout(task, ms) : undefined;
      return () => clearTimeout(timer);
    };
    const engine = await startEngine(database, routes, { leaseMs, renewMs: 250, after });
    const calls = Array.from({ length: 50 }, () => engine.call('busy'));
    const taken: unknown[] = [];
    while (Date.now() < untilMs) {
      await sleep(100);
      taken.push(...(await store.take('another', 100, 1)));
    }
    const answers = await Promise.all(calls);
    expect(taken).toEqual([]);
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    const steps = answers.map((answer) => Number(json(answer)['output'])).reduce((a, b) => a + b);
    expect(steps).toBeGreaterThan(500);
    await engine.stop();
    await database.close();
  });
});

describe('80 MB of images in one input', () => {
  it('are there again when the run goes on, and gone from the database when it has ended', async () => {
    const { database, store } = await openFile();
    const images = 10;
    const data = Buffer.alloc(8 * 1_048_576, 7).toString('base64');
    const input = { pictures: Array.from({ length: images }, () => ({ type: 'image', data })) };
    const seen: number[] = [];
    const routes = (stage: Stage) => [
      runRoute(
        'behaviour',
        'looks',
        async (ctx, values) => {
          const { pictures } = values['input'] as typeof input;
          seen.push(pictures.filter((picture) => picture.data === data).length);
          return ctx.must('refund');
        },
        stage,
      ),
    ];
    const first = await startEngine(database, routes);
    const waits = await first.call('looks', { input });
    expect(waits.status).toBe(202);
    const kept = async () => (await database.many('select sum(length(bytes)) as bytes from svc__blob'))[0];
    // Ten of the same are kept once.
    expect(await kept()).toEqual({ bytes: 8 * 1_048_576 });
    const [row] = await database.many('select length(input) as bytes from svc__run');
    expect(Number(row?.['bytes'])).toBeLessThan(10_000);
    first.life.kill();
    const second = await startEngine(database, routes);
    const [one] = await store.approvals({ status: 'pending', limit: 1 });
    const decision = { approve: true, note: '', by: boss };
    expect((await second.runner.decide(one?.approvalId ?? '', decision)).status).toBe(200);
    expect(seen).toEqual([images, images]);
    expect(await kept()).toEqual({ bytes: null });
    await second.stop();
    await database.close();
  });
});
