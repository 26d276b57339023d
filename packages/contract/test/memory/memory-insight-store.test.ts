import { describe, expect, it } from 'vitest';
import type { Insight } from '../../src/hub/insight.ts';
import { memoryInsightStore, memoryOutbox } from '../../src/memory/index.ts';
import { insightStoreCases } from '../../src/testing/index.ts';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
const insight = (n: number): Insight => ({
  type: 'insight',
  watcher: 'w',
  device: 'door',
  agent: 'guard',
  seq: n,
  status: 'completed',
  output: '',
  error: null,
  run_id: `r${n}`,
  tokens: 0,
  at_ms: n,
});

describe('memoryInsightStore', () => {
  it.each(insightStoreCases)('$name', async ({ run }) => {
    const outbox = memoryOutbox();
    const stores = { insights: memoryInsightStore(outbox), outbox };
    await expect(run(stores)).resolves.toBeUndefined();
  });

  it.each([
    [2, [0, 1]],
    [3, [0, 1, 2]],
    [4, [1, 2, 3]],
  ])('keeps the newest 3 of %i insights of a device', async (count, kept) => {
    const store = memoryInsightStore(memoryOutbox(), { keepPerDevice: 3 });
    await store.publish({ ...insight(9), device: 'yard' });
    for (const n of numbers(count)) await store.publish(insight(n));
    expect((await store.recent('door', 10)).map(({ seq }) => seq)).toEqual(kept);
    expect(await store.recent('yard', 10)).toHaveLength(1);
  });

  it('keeps 32 insights of a device unless told', async () => {
    const store = memoryInsightStore(memoryOutbox());
    for (const n of numbers(33)) await store.publish(insight(n));
    expect((await store.recent('door', 100)).map(({ seq }) => seq)).toEqual(numbers(33).slice(1));
  });
});
