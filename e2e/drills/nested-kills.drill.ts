/** 208 real processes on real files, killed by the system at points spread over all nestings. */
import { afterAll, describe, expect, it } from 'vitest';
import { policies } from '../test/nested/endure.ts';
import { killNested } from '../test/nested/kill-nested.ts';
import { nestedShapes } from '../test/nested/shapes.ts';

const kills = 16;
const total = { kills: 0, roots: 0, runs: 0, cutOff: 0 };
/** Nobody waits here for the clock. */
const spoken = policies.filter((policy) => policy !== 'expire');

afterAll(() => {
  process.stdout.write(`all series: ${JSON.stringify(total)}, every promise kept\n`);
});

describe('processes killed with SIGKILL in nested runs', () => {
  it.each(nestedShapes.map(({ name }, shape) => ({ name, shape })))('$name', async ({ name, shape }) => {
    const startMs = performance.now();
    const policy = spoken[shape % spoken.length] ?? 'approve';
    const { points, killed, roots, runs, cutOff } = await killNested({ shape, policy, kills });
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
    process.stdout.write(
      `${name} (${policy}): ${killed} kills at ${points} points, ${roots} roots of ${runs} runs, ${cutOff} answers cut off, ${seconds} s\n`,
    );
    expect(killed).toBe(kills);
    total.kills += killed;
    total.roots += roots;
    total.runs += runs;
    total.cutOff += cutOff;
  });
});
