import { describe, expect, it } from 'vitest';
import type { Insight } from '../../src/hub/insight.ts';
import { memoryStores } from '../../src/memory/index.ts';
import type { Spend } from '../../src/models/spend.ts';
import type { Delivery } from '../../src/stores/delivery.ts';

const delivery = (n: number): Delivery => ({ id: `d${n}`, endpoint: 'watcher:yard', body: n });
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

const spend: Spend = {
  model: 'small',
  provider: 'scripted',
  inputTokens: 1,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costMicros: 1,
  estimated: false,
};

describe('memoryStores', () => {
  it('hands the options to each store', async () => {
    const { audit, insights, outbox, usage } = memoryStores({
      audit: { keep: 1 },
      insights: { keepPerDevice: 1 },
      outbox: { keep: 1 },
      usage: { keep: 1 },
    });
    for (const n of [1, 2]) {
      await audit.append([{ kind: 'insight', id: `a${n}`, at_ms: n }]);
      await insights.publish(insight(n));
      await outbox.add(delivery(n), 0);
      await usage.append([{ ...spend, caller: `c${n}`, atMs: n }]);
    }
    expect(await audit.list({ limit: 10 })).toMatchObject([{ id: 'a2' }]);
    expect(await insights.recent('door', 10)).toEqual([insight(2)]);
    expect((await outbox.kept('watcher:yard', 10)).map(({ id }) => id)).toEqual(['d2']);
    expect(await usage.totals('caller')).toMatchObject([{ key: 'c2' }]);
  });

  it('delivers insights through its outbox', async () => {
    const { insights, outbox } = memoryStores();
    await insights.publish(insight(1), { deliveries: [delivery(1)] });
    expect(await outbox.kept('watcher:yard', 10)).toMatchObject([delivery(1)]);
  });

  it('has leases', async () => {
    expect(await memoryStores().leases.take('k', 0, 1, 0)).toBe(false);
  });
});
