import { describe, expect, it } from 'vitest';
import { memoryOutbox } from '../../src/memory/index.ts';
import type { Delivery } from '../../src/stores/stores.ts';
import { outboxCases } from '../../src/testing/index.ts';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
const delivery = (n: number): Delivery => ({ id: `d${n}`, endpoint: 'watcher:yard', body: n });

describe('memoryOutbox', () => {
  it.each(outboxCases)('$name', async ({ run }) => {
    await expect(run(memoryOutbox())).resolves.toBeUndefined();
  });

  it.each([
    [2, ['d0', 'd1']],
    [3, ['d0', 'd1', 'd2']],
    [4, ['d1', 'd2', 'd3']],
  ])('keeps the newest 3 of %i deliveries', async (count, kept) => {
    const outbox = memoryOutbox({ keep: 3 });
    for (const n of numbers(count)) await outbox.add(delivery(n), 0);
    expect((await outbox.due(0, 10)).map(({ id }) => id)).toEqual(kept);
  });

  it('keeps 1,000 deliveries unless told', async () => {
    const outbox = memoryOutbox();
    for (const n of numbers(1_001)) await outbox.add(delivery(n), 0);
    const kept = await outbox.due(0, 5_000);
    expect(kept).toHaveLength(1_000);
    expect(kept[0]?.id).toBe('d1');
  });
});
