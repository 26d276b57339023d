/** 500 real processes on real files, killed by the system at points spread over all shapes. */
import { describe, expect, it } from 'vitest';
import { killShape } from '../test/runs/kill-shape.ts';
import { shapes } from '../test/runs/shapes.ts';
import type { Policy } from '../test/runs/simulate.ts';

const policies: readonly Policy[] = ['approve', 'deny'];
const kills = 25;
/** What a busy machine does not get to is said. */
const untilMs = performance.now() + 9 * 60_000;

describe.each(policies)('processes killed with SIGKILL, while humans %s', (policy) => {
  it.concurrent.each(shapes.map(({ name }, shape) => ({ name, shape })))('$name', async ({ name, shape }) => {
    const startMs = performance.now();
    const { points, killed, runs } = await killShape({ shape, policy, kills, untilMs });
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
    process.stdout.write(
      `${name} (${policy}): ${killed} of ${kills} kills at ${points} points, ${runs} runs, ${seconds} s\n`,
    );
    expect(killed === kills || performance.now() > untilMs).toBe(true);
  });
});
