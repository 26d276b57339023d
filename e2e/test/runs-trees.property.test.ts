import { byTier } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { checkRandomTree } from './runs/random-tree.ts';
import { randoms } from './runs/sample.ts';

/** `runs-trees.drill.ts` has a thousand. */
const trees = byTier({ quick: 15, slow: 25, drill: 150 });

it.each([
  ['and nobody dies', false],
  ['over the death of their process', true],
])('random trees of budgets never overspend, and nobody gains authority in them: %s', async (_, dies) => {
  const random = randoms(dies ? 5 : 6);
  let exhausted = 0;
  for (let i = 0; i < trees; i++) exhausted += (await checkRandomTree(random, dies)).exhausted;
  expect(exhausted).toBeGreaterThan(0);
});
