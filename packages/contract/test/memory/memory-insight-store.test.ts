import { describe, expect, it } from 'vitest';
import type { Insight } from '../../src/hub/insight.ts';
import { memoryInsightStore, memoryOutbox } from '../../src/memory/index.ts';
import type { Evidence } from '../../src/stores/index.ts';
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
  cost_micros: 0,
  at_ms: n,
});
const evidence = (size: number): Evidence => ({
  mediaType: 'image/png',
  bytes: Buffer.alloc(size),
  token: 't',
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

  it.each([
    [{ bytes: [4, 5] }, ['r0', 'r1']],
    [{ bytes: [5, 5] }, ['r0', 'r1']],
    [{ bytes: [5, 6] }, ['r1']],
    [{ bytes: [6, 10] }, ['r1']],
    [{ bytes: [6, 11] }, ['r0']],
    [{ bytes: [6, 5, 5] }, ['r1', 'r2']],
  ])('keeps 10 bytes of evidence of $bytes', async ({ bytes }, kept) => {
    const insights = memoryInsightStore(memoryOutbox(), { evidenceBytesPerDevice: 10 });
    for (const [n, size] of bytes.entries()) await insights.publish(insight(n), { evidence: evidence(size) });
    expect([...(await insights.withEvidence('door'))].sort()).toEqual(kept);
    expect(await insights.recent('door', 10)).toHaveLength(bytes.length);
  });

  it('keeps 32 insights of a device unless told', async () => {
    const store = memoryInsightStore(memoryOutbox());
    for (const n of numbers(33)) await store.publish(insight(n));
    expect((await store.recent('door', 100)).map(({ seq }) => seq)).toEqual(numbers(33).slice(1));
  });
});
