import { describe, expect, it } from 'vitest';
import { memoryUsageStore } from '../../src/memory/index.ts';
import type { UsageStore } from '../../src/stores/stores.ts';
import { usageStoreCases } from '../../src/testing/index.ts';

type Row = Parameters<UsageStore['append']>[0][number];

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
const row = (n: number): Row => ({
  model: 'small',
  provider: 'scripted',
  inputTokens: 1,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costMicros: 1,
  estimated: false,
  caller: `c${n}`,
  atMs: n,
});

describe('memoryUsageStore', () => {
  it.each(usageStoreCases)('$name', async ({ run }) => {
    await expect(run(memoryUsageStore())).resolves.toBeUndefined();
  });

  it.each([
    [2, ['c0', 'c1']],
    [3, ['c0', 'c1', 'c2']],
    [4, ['c1', 'c2', 'c3']],
  ])('keeps the newest 3 of %i rows', async (count, kept) => {
    const store = memoryUsageStore({ keep: 3 });
    await store.append(numbers(count).map(row));
    expect((await store.totals('caller')).map(({ key }) => key)).toEqual(kept);
  });

  it('keeps 10,000 rows unless told', async () => {
    const store = memoryUsageStore();
    await store.append(numbers(10_001).map(row));
    expect(await store.totals('model')).toMatchObject([{ key: 'scripted/small', calls: 10_000 }]);
  });
});
