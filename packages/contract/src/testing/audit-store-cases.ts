import assert from 'node:assert/strict';
import type { AuditRecord, AuditStore } from '../stores/stores.ts';
import type { StoreCase } from './store-case.ts';

/** What every audit store does. Stores are made with room for at least 10 records. */
export const auditStoreCases: readonly StoreCase<AuditStore>[] = [
  {
    name: 'lists the newest records first',
    async run(store) {
      await store.append([record(1), record(2)]);
      await store.append([record(3)]);
      assert.deepEqual(await store.list({ limit: 10 }), [record(3), record(2), record(1)]);
    },
  },
  {
    name: 'gives a record back as it was appended',
    async run(store) {
      const full = record(1, { run_id: 'r1', status: 200, fields: { a: [1, null, 'ä'] }, gated: false });
      await store.append([full]);
      assert.deepEqual(await store.list({ limit: 10 }), [full]);
    },
  },
  {
    name: 'orders by id, whatever order the batches come in',
    async run(store) {
      await store.append([record(2), record(4)]);
      await store.append([record(1), record(3)]);
      assert.deepEqual(await ids(store, {}), ['4', '3', '2', '1']);
    },
  },
  {
    name: 'keeps a record once when its batch is appended again',
    async run(store) {
      await store.append([record(1), record(2)]);
      await store.append([record(1), record(2)]);
      assert.deepEqual(await ids(store, {}), ['2', '1']);
    },
  },
  {
    name: 'lists no more than the limit, and goes on before the last record seen',
    async run(store) {
      await store.append([record(1), record(2), record(3), record(4), record(5)]);
      assert.deepEqual(await ids(store, { limit: 2 }), ['5', '4']);
      assert.deepEqual(await ids(store, { limit: 2, before: '4' }), ['3', '2']);
      assert.deepEqual(await ids(store, { limit: 2, before: '2' }), ['1']);
      assert.deepEqual(await ids(store, { limit: 2, before: '1' }), []);
    },
  },
  {
    name: 'goes on before an id that is not kept any more',
    async run(store) {
      await store.append([record(1), record(3)]);
      assert.deepEqual(await ids(store, { before: '2' }), ['1']);
    },
  },
  {
    name: 'finds the records of one kind, of one run, and of both',
    async run(store) {
      await store.append([
        record(1, { kind: 'handoff', run_id: 'a' }),
        record(2, { kind: 'handoff', run_id: 'b' }),
        record(3, { kind: 'insight', run_id: 'a' }),
        record(4, { kind: 'insight' }),
      ]);
      assert.deepEqual(await ids(store, { kind: 'handoff' }), ['2', '1']);
      assert.deepEqual(await ids(store, { runId: 'a' }), ['3', '1']);
      assert.deepEqual(await ids(store, { kind: 'handoff', runId: 'a' }), ['1']);
      assert.deepEqual(await ids(store, { kind: 'compaction' }), []);
    },
  },
  {
    name: 'counts only records that match towards the limit',
    async run(store) {
      await store.append([record(1, { kind: 'handoff' }), record(2), record(3)]);
      assert.deepEqual(await ids(store, { kind: 'handoff', limit: 1 }), ['1']);
    },
  },
  {
    name: 'finds the records of one caller, of one route and of a time',
    async run(store) {
      await store.append([
        record(1, { principal: 'desk', route: 'refund' }),
        record(2, { by: 'desk' }),
        record(3, { principal: 'robot', route: 'refund' }),
      ]);
      assert.deepEqual(await ids(store, { principal: 'desk' }), ['2', '1']);
      assert.deepEqual(await ids(store, { route: 'refund' }), ['3', '1']);
      assert.deepEqual(await ids(store, { route: 'refund', principal: 'desk' }), ['1']);
      assert.deepEqual(await ids(store, { sinceMs: 2_000 }), ['3', '2']);
      assert.deepEqual(await ids(store, { untilMs: 2_000 }), ['1']);
      assert.deepEqual(await ids(store, { principal: "' or 1 = 1 --" }), []);
    },
  },
  {
    name: 'reads on in the order in which records were stored, whatever their ids',
    async run(store) {
      assert.deepEqual(await store.following(0, 9), {
        records: [],
        at: undefined,
        oldest: 0,
        newest: { n: 0, id: '' },
      });
      await store.append([record(2), record(4)]);
      await store.append([record(2), record(1)]);
      const all = await store.following(0, 9);
      assert.deepEqual(
        all.records.map(({ n, record: { id } }) => [n, id]),
        [
          [1, '2'],
          [2, '4'],
          [3, '1'],
        ],
      );
      assert.deepEqual([all.at, all.oldest, all.newest], [undefined, 1, { n: 3, id: '1' }]);
      const later = await store.following(1, 1);
      assert.deepEqual(
        later.records.map(({ n, record: { id } }) => [n, id]),
        [[2, '4']],
      );
      assert.equal(later.at, '2');
      assert.deepEqual((await store.following(3, 9)).records, []);
      assert.equal((await store.following(99, 9)).at, undefined);
    },
  },
  {
    name: 'reads on among the records of one kind, and says how far all go',
    async run(store) {
      const kinds = ['a', 'b', 'a', 'a', 'b'];
      await store.append(kinds.map((kind, i) => ({ ...record(i + 1), kind })));
      const numbers = async (n: number, limit: number, kind: string): Promise<readonly number[]> =>
        (await store.following(n, limit, kind)).records.map((one) => one.n);
      assert.deepEqual(await numbers(0, 9, 'a'), [1, 3, 4]);
      assert.deepEqual(await numbers(0, 2, 'a'), [1, 3]);
      assert.deepEqual(await numbers(3, 9, 'a'), [4]);
      assert.deepEqual(await numbers(0, 9, 'c'), []);
      assert.equal((await store.following(4, 9, 'a')).newest.n, 5);
    },
  },
  {
    name: 'counts kinds between two places',
    async run(store) {
      await store.append([record(1), record(2, { kind: 'handoff' }), record(3), record(4)]);
      const counts = await store.countKinds(1, 3);
      assert.deepEqual([counts.size, counts.get('handoff'), counts.get('tool_called')], [2, 1, 1]);
      assert.deepEqual([...(await store.countKinds(4, 9))], []);
    },
  },
];

function record(n: number, fields: Partial<AuditRecord> = {}): AuditRecord {
  return { kind: 'tool_called', id: String(n), at_ms: n * 1_000, ...fields };
}

async function ids(
  store: AuditStore,
  filter: Partial<Parameters<AuditStore['list']>[0]>,
): Promise<readonly string[]> {
  return (await store.list({ limit: 10, ...filter })).map(({ id }) => id);
}
