import { describe, expect, it } from 'vitest';
import { memoryOutbox } from '../../src/memory/index.ts';
import type { Delivery } from '../../src/stores/delivery.ts';
import { outboxCases } from '../../src/testing/index.ts';

const delivery = (n: number, endpoint = 'yard'): Delivery => ({ id: `${endpoint}${n}`, endpoint, body: n });

describe('memoryOutbox', () => {
  it.each(outboxCases)('$name', async ({ run }) => {
    const outbox = memoryOutbox({ keep: 5, keepPerEndpoint: 3, keepDelivered: 2 });
    await expect(run(outbox)).resolves.toBeUndefined();
  });

  it('keeps 1,000 deliveries of an endpoint unless told, and 100 that were delivered', async () => {
    const outbox = memoryOutbox();
    for (let n = 0; n < 1_001; n++) await outbox.add(delivery(n), 0);
    const kept = await outbox.kept('yard', 5_000);
    expect(kept).toHaveLength(1_000);
    expect(kept.at(-1)?.id).toBe('yard1');
    const condition = { failures: 0, pausedUntilMs: null, stopped: false };
    const attempt = { state: 'delivered', atMs: 1, dueMs: 1, status: 200, error: null } as const;
    for (let n = 1; n < 102; n++) await outbox.settle(delivery(n), attempt, condition);
    expect(await outbox.kept('yard', 5_000)).toHaveLength(999);
  });

  it('keeps 10,000 in all unless told', async () => {
    const outbox = memoryOutbox();
    for (let line = 0; line < 11; line++)
      for (let n = 0; n < 910; n++) await outbox.add(delivery(n, `line${line}-`), 0);
    const lines = await outbox.lines();
    expect(lines.reduce((sum, { waiting }) => sum + waiting, 0)).toBe(10_000);
    expect(lines.reduce((sum, { dropped }) => sum + dropped, 0)).toBe(10);
  });
});
