import assert from 'node:assert/strict';
import type { Delivery, Outbox } from '../stores/stores.ts';
import type { StoreCase } from './store-case.ts';

/** What every outbox does. Outboxes are made with room for at least 10 deliveries. */
export const outboxCases: readonly StoreCase<Outbox>[] = [
  {
    name: 'gives deliveries that are due, oldest first',
    async run(outbox) {
      await outbox.add(delivery('b'), 100);
      await outbox.add(delivery('a'), 200);
      assert.deepEqual(await dueIds(outbox, 99), []);
      assert.deepEqual(await dueIds(outbox, 100), ['b']);
      assert.deepEqual(await dueIds(outbox, 200), ['b', 'a']);
    },
  },
  {
    name: 'gives a delivery back as it was added',
    async run(outbox) {
      const plain = { id: 'a', endpoint: 'watcher:yard', body: { text: 'ä', seq: null } };
      await outbox.add(plain, 0);
      assert.deepEqual(await outbox.due(0, 10), [{ ...plain, attempts: 0 }]);
    },
  },
  {
    name: 'gives no more than the limit',
    async run(outbox) {
      for (const id of ['a', 'b', 'c']) await outbox.add(delivery(id), 0);
      assert.deepEqual(await dueIds(outbox, 0, 2), ['a', 'b']);
    },
  },
  {
    name: 'takes an id once',
    async run(outbox) {
      await outbox.add(delivery('a'), 0);
      await outbox.add(delivery('a'), 50);
      assert.deepEqual(await dueIds(outbox, 100), ['a']);
    },
  },
  {
    name: 'forgets what is delivered',
    async run(outbox) {
      await outbox.add(delivery('a'), 0);
      await outbox.add(delivery('b'), 0);
      await outbox.settle('a', { delivered: true });
      assert.deepEqual(await dueIds(outbox, 0), ['b']);
    },
  },
  {
    name: 'gives a failed delivery again at its time, and counts the attempts',
    async run(outbox) {
      await outbox.add(delivery('a'), 0);
      await outbox.settle('a', { delivered: false, retryAtMs: 500 });
      assert.deepEqual(await dueIds(outbox, 499), []);
      assert.deepEqual(await outbox.due(500, 10), [{ ...delivery('a'), attempts: 1 }]);
      await outbox.settle('a', { delivered: false, retryAtMs: 900 });
      assert.deepEqual(await outbox.due(900, 10), [{ ...delivery('a'), attempts: 2 }]);
    },
  },
  {
    name: 'forgets what is given up',
    async run(outbox) {
      await outbox.add(delivery('a'), 0);
      await outbox.settle('a', { delivered: false, retryAtMs: null });
      assert.deepEqual(await dueIds(outbox, Number.MAX_SAFE_INTEGER), []);
    },
  },
  {
    name: 'ignores the outcome of a delivery it does not hold',
    async run(outbox) {
      await outbox.settle('a', { delivered: false, retryAtMs: 0 });
      assert.deepEqual(await dueIds(outbox, 0), []);
    },
  },
];

function delivery(id: string): Delivery {
  return { id, endpoint: 'watcher:yard', body: { type: 'insight', id } };
}

async function dueIds(outbox: Outbox, nowMs: number, limit = 10): Promise<readonly string[]> {
  return (await outbox.due(nowMs, limit)).map(({ id }) => id);
}
