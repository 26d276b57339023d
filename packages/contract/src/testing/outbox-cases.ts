import assert from 'node:assert/strict';
import type {
  Delivery,
  DeliveryAttempt,
  DeliveryChoice,
  EndpointCondition,
  KeptDelivery,
  Outbox,
} from '../stores/index.ts';
import type { StoreCase } from './store-case.ts';

/**
 * What every outbox does. Outboxes are made with room for 5 deliveries that are not delivered, 3 of them of one endpoint, and
 * for 2 that are.
 */
export const outboxCases: readonly StoreCase<Outbox>[] = [
  {
    name: 'gives a delivery back as it was added',
    async run(outbox) {
      const plain = { id: 'a', endpoint: 'yard', body: { text: 'ä', seq: null } };
      await outbox.add(plain, 7);
      assert.deepEqual(await take(outbox, 7), [
        {
          ...plain,
          ...{ state: 'waiting', attempts: 0, addedMs: 7, sinceMs: 7, dueMs: 7 },
          ...{ triedMs: null, status: null, error: null },
        },
      ]);
    },
  },
  {
    name: 'gives the oldest of each endpoint that was asked for',
    async run(outbox) {
      for (const id of ['b', 'a']) await outbox.add(delivery(id), 0);
      for (const id of ['d', 'c']) await outbox.add(delivery(id, 'door'), 0);
      const choices = (['yard', 'door', 'none'] as const).map((endpoint) => ({
        endpoint,
        by: 'due' as const,
      }));
      assert.deepEqual(ids(await outbox.next(choices, 0)).sort(), ['b', 'd']);
      assert.deepEqual(ids(await outbox.next(choices.slice(1), 0)), ['d']);
      assert.deepEqual(await outbox.next([], 0), []);
    },
  },
  {
    name: 'takes an id once, also after it was delivered or given up',
    async run(outbox) {
      for (const id of ['a', 'b']) await outbox.add(delivery(id), 0);
      await outbox.settle(delivery('a'), arrived(1), well);
      await outbox.settle(delivery('b'), { ...arrived(1), state: 'failed' }, well);
      for (const id of ['a', 'b']) await outbox.add(delivery(id), 50);
      assert.deepEqual(await take(outbox, 100), []);
      assert.deepEqual(ids(await outbox.kept('yard', 9)), ['b', 'a']);
    },
  },
  {
    name: 'gives what failed at its time, counts attempts, and lets others pass',
    async run(outbox) {
      for (const id of ['a', 'b']) await outbox.add(delivery(id), 0);
      await outbox.settle(delivery('a'), failed(10, 500), well);
      assert.deepEqual(ids(await take(outbox, 499)), ['b']);
      const [again] = await take(outbox, 500);
      assert.deepEqual(
        [again?.id, again?.attempts, again?.dueMs, again?.triedMs, again?.status, again?.error],
        ['a', 1, 500, 10, 500, 'answer'],
      );
    },
  },
  {
    name: 'gives what was never tried, and what was tried in the future, whatever their times',
    async run(outbox) {
      await outbox.add(delivery('a'), 900);
      assert.deepEqual(ids(await take(outbox, 5)), ['a']);
      await outbox.settle(delivery('a'), failed(900, 950), well);
      assert.deepEqual(ids(await take(outbox, 5)), ['a']);
      assert.deepEqual(ids(await take(outbox, 920)), []);
    },
  },
  {
    name: 'gives the oldest or the one tried least, due or not',
    async run(outbox) {
      for (const id of ['a', 'b', 'c']) await outbox.add(delivery(id), 0);
      await outbox.settle(delivery('a'), failed(1, 99), well);
      await outbox.settle(delivery('a'), failed(2, 99), well);
      await outbox.settle(delivery('b'), failed(3, 99), well);
      await outbox.settle(delivery('c'), failed(3, 99), well);
      assert.deepEqual(ids(await take(outbox, 4, 'due')), []);
      assert.deepEqual(ids(await take(outbox, 4, 'oldest')), ['a']);
      assert.deepEqual(ids(await take(outbox, 4, 'least-tried')), ['b']);
    },
  },
  {
    name: 'says how each line is',
    async run(outbox) {
      assert.deepEqual(await outbox.lines(), []);
      for (const id of ['a', 'b', 'c']) await outbox.add(delivery(id), 0);
      await outbox.settle(delivery('a'), arrived(5), well);
      await outbox.settle(delivery('b'), { ...failed(6, 7), state: 'failed' }, well);
      const condition = { failures: 4, pausedUntilMs: 70, stopped: true };
      await outbox.settle(delivery('c'), failed(8, 90), condition);
      assert.deepEqual(await outbox.lines(), [
        {
          ...{ endpoint: 'yard', ...condition, waiting: 1, failed: 1, delivered: 1, dropped: 0 },
          ...{ lastStatus: 500, lastError: 'answer', lastAtMs: 8 },
        },
      ]);
      assert.deepEqual(await outbox.soonest(), [{ endpoint: 'yard', dueMs: 90 }]);
    },
  },
  {
    name: 'lets the oldest of an endpoint go that has too many, and counts them',
    async run(outbox) {
      await outbox.add(delivery('x', 'door'), 0);
      for (const id of ['a', 'b', 'c', 'd']) await outbox.add(delivery(id), 0);
      assert.deepEqual(ids(await outbox.kept('yard', 9)), ['d', 'c', 'b']);
      assert.deepEqual(ids(await outbox.kept('door', 9)), ['x']);
      const [yard] = (await outbox.lines()).filter(({ endpoint }) => endpoint === 'yard');
      assert.deepEqual([yard?.waiting, yard?.dropped], [3, 1]);
    },
  },
  {
    name: 'lets go of what was given up before what waits, and counts it not',
    async run(outbox) {
      for (const id of ['a', 'b', 'c']) await outbox.add(delivery(id), 0);
      await outbox.settle(delivery('b'), { ...failed(1, 1), state: 'failed' }, well);
      await outbox.add(delivery('d'), 0);
      assert.deepEqual(ids(await outbox.kept('yard', 9)), ['d', 'c', 'a']);
      assert.equal((await outbox.lines())[0]?.dropped, 0);
    },
  },
  {
    name: 'takes room from the endpoint that has the most',
    async run(outbox) {
      for (const id of ['a', 'b', 'c']) await outbox.add(delivery(id), 0);
      for (const id of ['d', 'e', 'f']) await outbox.add(delivery(id, id), 0);
      assert.deepEqual(ids(await outbox.kept('yard', 9)), ['c', 'b']);
      for (const id of ['d', 'e', 'f']) assert.deepEqual(ids(await outbox.kept(id, 9)), [id]);
    },
  },
  {
    name: 'keeps the newest that were delivered',
    async run(outbox) {
      for (const id of ['a', 'b', 'c']) {
        await outbox.add(delivery(id), 0);
        await outbox.settle(delivery(id), arrived(1), well);
      }
      assert.deepEqual(ids(await outbox.kept('yard', 9)), ['c', 'b']);
      assert.deepEqual(ids(await outbox.kept('yard', 1)), ['c']);
      const [line] = await outbox.lines();
      assert.deepEqual([line?.delivered, line?.dropped], [3, 0]);
    },
  },
  {
    name: 'gives up what waits, of one endpoint, since a time',
    async run(outbox) {
      await outbox.add(delivery('a'), 10);
      await outbox.add(delivery('b'), 11);
      await outbox.add(delivery('x', 'door'), 10);
      await outbox.giveUp('yard', 'too_late', 10);
      assert.deepEqual(states(await outbox.kept('yard', 9)), ['b waiting null', 'a failed too_late']);
      await outbox.giveUp('yard', 'gone');
      assert.deepEqual(states(await outbox.kept('yard', 9)), ['b failed gone', 'a failed too_late']);
      assert.deepEqual(ids(await take(outbox, 99, 'due', 'door')), ['x']);
    },
  },
  {
    name: 'makes due what could not be reached, and no other',
    async run(outbox) {
      for (const id of ['a', 'b', 'c']) await outbox.add(delivery(id), 0);
      await outbox.settle(delivery('a'), failed(1, 99), well);
      await outbox.settle(delivery('b'), { ...failed(1, 99), status: 503 }, well);
      await outbox.settle(delivery('c'), { ...failed(1, 99), status: null }, well);
      await outbox.release('yard', [502, 503], 2);
      assert.deepEqual(dues(await outbox.kept('yard', 9)), [2, 2, 99]);
    },
  },
  {
    name: 'sends again what waits or failed, as if it were new, and lifts a stop',
    async run(outbox) {
      for (const id of ['a', 'b', 'c']) await outbox.add(delivery(id), 0);
      await outbox.settle(delivery('a'), arrived(1), well);
      await outbox.settle(delivery('b'), failed(1, 99), well);
      await outbox.settle(
        delivery('c'),
        { ...failed(2, 2), state: 'failed' },
        { failures: 9, pausedUntilMs: 99, stopped: true },
      );
      assert.equal(await outbox.redeliver('yard', 5), 2);
      const kept = await outbox.kept('yard', 9);
      assert.deepEqual(states(kept), ['c waiting answer', 'b waiting answer', 'a delivered null']);
      assert.deepEqual([kept[0]?.attempts, kept[0]?.addedMs, kept[0]?.sinceMs, kept[0]?.dueMs], [0, 0, 5, 5]);
      const [line] = await outbox.lines();
      assert.deepEqual(
        [line?.waiting, line?.failed, line?.failures, line?.pausedUntilMs, line?.stopped],
        [2, 0, 0, null, false],
      );
      assert.equal(await outbox.redeliver('door', 5), 0);
    },
  },
  {
    name: 'sends again one delivery alone, also one that was delivered',
    async run(outbox) {
      for (const id of ['a', 'b']) await outbox.add(delivery(id), 0);
      await outbox.settle(delivery('a'), arrived(1), well);
      await outbox.settle(delivery('b'), { ...failed(1, 1), state: 'failed' }, { ...well, stopped: true });
      assert.equal(await outbox.redeliver('yard', 5, 'unknown'), 0);
      assert.equal((await outbox.lines())[0]?.stopped, true);
      assert.equal(await outbox.redeliver('yard', 5, 'a'), 1);
      assert.deepEqual(states(await outbox.kept('yard', 9)), ['b failed answer', 'a waiting null']);
      assert.equal((await outbox.lines())[0]?.stopped, false);
    },
  },
  {
    name: 'forgets what is over for long, and what nobody would send any more',
    async run(outbox) {
      for (const id of ['a', 'b', 'c']) await outbox.add(delivery(id), 10);
      await outbox.add(delivery('x', 'door'), 10);
      await outbox.add(delivery('y', 'door'), 20);
      await outbox.settle(delivery('a'), arrived(19), well);
      await outbox.settle(delivery('b'), arrived(20), well);
      await outbox.prune(20, ['yard']);
      assert.deepEqual(ids(await outbox.kept('yard', 9)), ['c', 'b']);
      assert.deepEqual(ids(await outbox.kept('door', 9)), ['y']);
      await outbox.prune(100, []);
      assert.deepEqual(await outbox.lines(), []);
    },
  },
  {
    name: 'remembers that an endpoint is stopped though nothing of it is kept',
    async run(outbox) {
      await outbox.add(delivery('a'), 10);
      await outbox.settle(delivery('a'), { ...failed(11, 11), state: 'failed' }, { ...well, stopped: true });
      await outbox.prune(100, []);
      assert.deepEqual(await outbox.kept('yard', 9), []);
      assert.deepEqual(
        (await outbox.lines()).map(({ stopped }) => stopped),
        [true],
      );
    },
  },
  {
    name: 'says how an endpoint is though the delivery has gone meanwhile',
    async run(outbox) {
      await outbox.settle(delivery('a'), failed(1, 2), { failures: 1, pausedUntilMs: null, stopped: false });
      assert.deepEqual(await outbox.kept('yard', 9), []);
      assert.equal((await outbox.lines())[0]?.failures, 1);
    },
  },
];

const well: EndpointCondition = { failures: 0, pausedUntilMs: null, stopped: false };

function arrived(atMs: number): DeliveryAttempt {
  return { state: 'delivered', atMs, dueMs: atMs, status: 204, error: null };
}

function failed(atMs: number, dueMs: number): DeliveryAttempt {
  return { state: 'waiting', atMs, dueMs, status: 500, error: 'answer' };
}

function delivery(id: string, endpoint = 'yard'): Delivery {
  return { id, endpoint, body: { type: 'insight', id } };
}

function take(
  outbox: Outbox,
  nowMs: number,
  by: DeliveryChoice['by'] = 'due',
  endpoint = 'yard',
): Promise<readonly KeptDelivery[]> {
  return outbox.next([{ endpoint, by }], nowMs);
}

function ids(deliveries: readonly KeptDelivery[]): string[] {
  return deliveries.map(({ id }) => id);
}

function dues(deliveries: readonly KeptDelivery[]): readonly number[] {
  return deliveries.map(({ dueMs }) => dueMs);
}

function states(deliveries: readonly KeptDelivery[]): readonly string[] {
  return deliveries.map(({ id, state, error }) => `${id} ${state} ${error}`);
}
