/** Hundreds of random trees of runs whose leaves call gated tools in every way there is. */
import { expect, it } from 'vitest';
import { nodesOf, randomTree } from '../test/nested/call-tree.ts';
import { serveTrees } from '../test/nested/gated-trees.ts';
import { randoms } from '../test/runs/sample.ts';

const applications = Number(process.env['NESTED_APPLICATIONS'] ?? 15);
const perApplication = 20;

it('no tree of calls is a way around a gate', async () => {
  const startMs = performance.now();
  const random = randoms(23 + Number(process.env['RUNS_SEED'] ?? 0));
  const total = { trees: 0, runs: 0, asked: 0, executed: 0 };
  for (let i = 0; i < applications; i++) {
    const trees = Array.from({ length: perApplication }, (_, t) => randomTree(random, `t${t}`, t % 3 === 2));
    const served = await serveTrees(trees, random);
    for (const tree of trees) {
      const { asked, executed } = await served.check(tree).catch((error: unknown) => {
        throw new Error(`${JSON.stringify(tree)}: ${String(error)}`, { cause: error });
      });
      total.trees++;
      total.runs += nodesOf(tree).length;
      total.asked += asked;
      total.executed += executed;
    }
    await served.close();
  }
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
  process.stdout.write(`random trees: ${JSON.stringify(total)}, no way around a gate, ${seconds} s\n`);
  expect(total.executed).toBeGreaterThan(total.trees);
});
