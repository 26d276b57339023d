/** A thousand behaviours that nobody wrote, with agents, behaviours and flows below them: each dies twice or more. */
import { expect, it } from 'vitest';
import { endureProgram } from '../test/nested/endure-program.ts';
import { randoms } from '../test/runs/sample.ts';

const programs = Number(process.env['NESTED_PROGRAMS'] ?? 1_000);

it('a thousand random nestings are given the same after their process died', async () => {
  const startMs = performance.now();
  const random = randoms(71 + Number(process.env['RUNS_SEED'] ?? 0));
  const total = { programs: 0, runs: 0, steps: 0, crashes: 0 };
  for (let nth = 0; nth < programs; nth++) {
    const { runs, steps, crashes } = await endureProgram(random, nth, 16);
    total.programs++;
    total.runs += runs;
    total.steps += steps;
    total.crashes += crashes;
  }
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
  process.stdout.write(`random nestings: ${JSON.stringify(total)}, 0 mismatches, ${seconds} s\n`);
  expect(total.crashes).toBeGreaterThan(programs);
});
