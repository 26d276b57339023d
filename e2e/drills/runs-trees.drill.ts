import { expect, it } from 'vitest';
import { checkRandomTree } from '../test/runs/random-tree.ts';
import { randoms } from '../test/runs/sample.ts';

it('a thousand random trees of budgets never overspend, come to an end, and give nobody more authority', async () => {
  const random = randoms(77);
  const total = { runs: 0, questions: 0, exhausted: 0 };
  for (let i = 0; i < 1_000; i++) {
    const { runs, questions, exhausted } = await checkRandomTree(random, i % 3 === 0);
    total.runs += runs;
    total.questions += questions;
    total.exhausted += exhausted;
  }
  expect(total.exhausted).toBeGreaterThan(100);
  expect(total.questions).toBeGreaterThan(1_000);
  process.stdout.write(`1,000 trees: ${JSON.stringify(total)}\n`);
});
