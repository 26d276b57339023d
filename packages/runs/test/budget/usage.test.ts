import type { OpRecord } from '@waymark/contract/stores';
import { opRecord, runRecord, spendRecord } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { tokensOf, UsageTally } from '../../src/budget/usage.ts';

const kinds: readonly OpRecord['kind'][] = [
  'model',
  'call',
  'run',
  'ask',
  'handoff',
  'compaction',
  'context',
];

/** What a run of that kind has used that did one step of each kind. */
function usageOf(kind: 'agent' | 'flow') {
  const root = runRecord('r');
  const tally = new UsageTally({ ...root, spec: { ...root.spec, kind } }, root);
  for (const [seq, one] of kinds.entries())
    tally.add(opRecord('r', seq, { kind: one, value: { imagesDropped: 2 }, treeTokens: seq * 10 }), []);
  return tally.usage;
}

describe('UsageTally', () => {
  it('counts as steps what an agent asks its model, and what others call and ask', () => {
    expect(usageOf('agent')).toMatchObject({ steps: 1, toolCalls: 2, handoffs: 1, compactions: 1 });
    expect(usageOf('flow')).toMatchObject({ steps: 4, toolCalls: 2 });
  });

  it('counts dropped pictures of model calls alone, and the greatest number of the tree', () => {
    expect(usageOf('agent')).toMatchObject({ imagesDropped: 2, treeTokens: 60 });
  });

  it('sums up all attempts, and knows no cost once one had no price', () => {
    const tally = new UsageTally(runRecord('r'), runRecord('r'));
    tally.add(opRecord('r', 0), [spendRecord, spendRecord]);
    expect(tally.usage).toMatchObject({
      ...{ inputTokens: 200, outputTokens: 40, cacheReadTokens: 6, cacheWriteTokens: 8, costMicros: 100 },
      ...{ tokenBudget: 1_000, treeBudget: 1_000 },
    });
    tally.add(opRecord('r', 1), [{ ...spendRecord, costMicros: null }, spendRecord]);
    expect(tally.usage.costMicros).toBeNull();
  });
});

it('tokens of the cache are among the input, and count once', () => {
  expect(tokensOf([spendRecord, spendRecord])).toBe(240);
});
