import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Json, Progress } from '@waymark/contract';
import { expect, it } from 'vitest';
import { runRoute, type Stage } from './runs/drivers.ts';
import { boss, desk, json, openState, startEngine } from './runs/engine.ts';
import { seqOf } from './runs/seq-of.ts';

const steps = 10_000;
const readers = 50;
/** Generous: one page takes a millisecond, and the whole tree, which is loaded once at the end, a hundred. */
const longestStallMs = 1_000;

it('50 readers follow a run of 10,000 steps from its beginning, and nobody else has to wait for them', async () => {
  const { database } = await openState();
  const routes = (stage: Stage) => [
    runRoute(
      'behaviour',
      'long',
      async (ctx) => {
        const spec = { kind: 'context', name: 'x', input: null, repeat: 'safe' } as const;
        for (let i = 0; i < steps; i += 100)
          await Promise.all(
            Array.from({ length: 100 }, () =>
              ctx.scope.op<Json>(spec, async () => ({ value: 'a little text' })),
            ),
          );
        return ctx.must('refund');
      },
      stage,
    ),
  ];
  const engine = await startEngine(database, routes);
  const { run_id, pending_approvals } = json<{
    run_id: string;
    pending_approvals: { approval_id: string }[];
  }>(await engine.call('long'));
  let begun = 0;
  const read = async (): Promise<Progress | undefined> => {
    let seen = 0;
    let count = 0;
    for await (const event of engine.runner.follow(run_id, 'long', 0, desk, new AbortController().signal)) {
      if (event.event === 'result') return event;
      if (event.event !== 'step') continue;
      const seq = seqOf(event);
      if (seq <= seen) throw new Error(`${seq} after ${seen}`);
      seen = seq;
      if (++count === steps + 1) begun++;
    }
    return undefined;
  };
  const stalls = monitorEventLoopDelay({ resolution: 5 });
  stalls.enable();
  const startMs = performance.now();
  const all = Array.from({ length: readers }, read);
  while (begun < readers) await new Promise((resolve) => setTimeout(resolve, 20));
  const readMs = performance.now() - startMs;
  stalls.disable();
  expect(stalls.max / 1e6).toBeLessThan(longestStallMs);
  await engine.runner.decide(pending_approvals[0]?.approval_id ?? '', { approve: true, note: '', by: boss });
  const ends = await Promise.all(all);
  expect(new Set(ends.map((end) => JSON.stringify(end?.data))).size).toBe(1);
  expect(ends[0]?.data).toMatchObject({ run_id, status: 'completed' });
  process.stdout.write(
    `${readers} readers × ${steps} steps: ${readMs.toFixed(0)} ms, longest stall ${(stalls.max / 1e6).toFixed(0)} ms, to the end ${(performance.now() - startMs).toFixed(0)} ms\n`,
  );
  await engine.stop();
  await database.close();
});
