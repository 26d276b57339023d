import { describe, expect, it } from 'vitest';
import { memoryAuditStore } from '../../src/memory/index.ts';
import type { AuditRecord } from '../../src/stores/stores.ts';
import { auditStoreCases } from '../../src/testing/index.ts';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
const record = (n: number): AuditRecord => ({ kind: 'insight', id: String(n).padStart(6, '0'), at_ms: n });

describe('memoryAuditStore', () => {
  it.each(auditStoreCases)('$name', async ({ run }) => {
    await expect(run(memoryAuditStore())).resolves.toBeUndefined();
  });

  it.each([
    [2, [1, 0]],
    [3, [2, 1, 0]],
    [4, [3, 2, 1]],
  ])('keeps the newest 3 of %i records', async (count, kept) => {
    const store = memoryAuditStore({ keep: 3 });
    for (const n of numbers(count)) await store.append([record(n)]);
    expect((await store.list({ limit: 10 })).map(({ at_ms }) => at_ms)).toEqual(kept);
  });

  it('keeps 10,000 records unless told', async () => {
    const store = memoryAuditStore();
    await store.append(numbers(10_001).map(record));
    const kept = await store.list({ limit: 20_000 });
    expect(kept).toHaveLength(10_000);
    expect(kept.at(-1)?.at_ms).toBe(1);
  });
});
