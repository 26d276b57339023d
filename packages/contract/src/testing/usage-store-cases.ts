import assert from 'node:assert/strict';
import type { SpendTotal, UsageStore } from '../stores/stores.ts';
import type { StoreCase } from './store-case.ts';

type Row = Parameters<UsageStore['append']>[0][number];

/** What every usage store does. Stores are made with room for at least 10 rows. */
export const usageStoreCases: readonly StoreCase<UsageStore>[] = [
  {
    name: 'adds up tokens, cost and calls of each caller, in the order of their names',
    async run(store) {
      await store.append([row({ caller: 'desk' }), row({ caller: 'bot' })]);
      await store.append([row({ caller: 'desk' })]);
      assert.deepEqual(await store.totals('caller'), [total('bot', 1), total('desk', 2)]);
    },
  },
  {
    name: 'adds up by model, each provider for itself',
    async run(store) {
      await store.append([row({ model: 'large' }), row({ model: 'small' }), row({ model: 'large' })]);
      await store.append([row({ provider: 'other', model: 'large', costMicros: null })]);
      assert.deepEqual(await store.totals('model'), [
        { ...total('other/large', 1), costMicros: null },
        total('scripted/large', 2),
        total('scripted/small', 1),
      ]);
    },
  },
  {
    name: 'adds up by hour and by day, in UTC',
    async run(store) {
      const noonMs = Date.UTC(2026, 2, 1, 12);
      await store.append([
        row({ atMs: noonMs }),
        row({ atMs: noonMs + 3_599_999 }),
        row({ atMs: noonMs + 3_600_000 }),
        row({ atMs: noonMs + 43_200_000 }),
      ]);
      assert.deepEqual(await store.totals('hour'), [
        total('2026-03-01T12:00:00Z', 2),
        total('2026-03-01T13:00:00Z', 1),
        total('2026-03-02T00:00:00Z', 1),
      ]);
      assert.deepEqual(await store.totals('day'), [total('2026-03-01', 3), total('2026-03-02', 1)]);
    },
  },
  {
    name: 'leaves out rows before a time and keeps those at it',
    async run(store) {
      await store.append([row({ atMs: 999 }), row({ atMs: 1_000 }), row({ atMs: 1_001 })]);
      assert.deepEqual(await store.totals('caller', 1_000), [total('desk', 2)]);
      assert.deepEqual(await store.totals('caller', 1_002), []);
    },
  },
  {
    name: 'calls a sum unknown as soon as one of its rows has no price',
    async run(store) {
      await store.append([row({}), row({ costMicros: null }), row({ caller: 'bot' })]);
      assert.deepEqual(await store.totals('caller'), [
        total('bot', 1),
        { ...total('desk', 2), costMicros: null },
      ]);
    },
  },
  {
    name: 'has a cell for each span, caller and model, the newest spans first',
    async run(store) {
      const hourMs = 3_600_000;
      await store.append([
        row({ caller: 'bot' }),
        row({ model: 'large' }),
        row({}),
        row({ costMicros: null, atMs: hourMs - 1 }),
        row({ atMs: hourMs }),
        row({ atMs: 24 * hourMs }),
      ]);
      const { key: _, ...one } = total('', 1);
      const { key: __, ...two } = { ...total('', 2), costMicros: null };
      const begin = '1970-01-01T00:00:00Z';
      const cell = (time: string, caller: string, name: string) => ({
        time,
        caller,
        model: `scripted/${name}`,
      });
      const all = [
        { ...cell('1970-01-02T00:00:00Z', 'desk', 'small'), ...one },
        { ...cell('1970-01-01T01:00:00Z', 'desk', 'small'), ...one },
        { ...cell(begin, 'bot', 'small'), ...one },
        { ...cell(begin, 'desk', 'large'), ...one },
        { ...cell(begin, 'desk', 'small'), ...two },
      ];
      assert.deepEqual(await store.cells({ bucket: 'hour', limit: 9 }), all);
      assert.deepEqual(await store.cells({ bucket: 'hour', limit: 2 }), all.slice(0, 2));
      const between = { sinceMs: hourMs, untilMs: 24 * hourMs };
      assert.deepEqual(await store.cells({ bucket: 'hour', ...between, limit: 9 }), all.slice(1, 2));
      const days = await store.cells({ bucket: 'day', limit: 9 });
      assert.deepEqual(
        days.map(({ time, calls }) => [time, calls]),
        [
          ['1970-01-02', 1],
          ['1970-01-01', 1],
          ['1970-01-01', 1],
          ['1970-01-01', 3],
        ],
      );
    },
  },
  {
    name: 'has no totals before anything was spent',
    async run(store) {
      await store.append([]);
      assert.deepEqual(await store.totals('model'), []);
    },
  },
];

function row(fields: Partial<Row>): Row {
  return {
    model: 'small',
    provider: 'scripted',
    inputTokens: 100,
    outputTokens: 20,
    cacheReadTokens: 3,
    cacheWriteTokens: 4,
    costMicros: 50,
    estimated: false,
    caller: 'desk',
    atMs: 0,
    ...fields,
  };
}

/** The sum of `calls` rows. */
function total(key: string, calls: number): SpendTotal {
  return {
    key,
    calls,
    inputTokens: 100 * calls,
    outputTokens: 20 * calls,
    cacheReadTokens: 3 * calls,
    cacheWriteTokens: 4 * calls,
    costMicros: 50 * calls,
  };
}
