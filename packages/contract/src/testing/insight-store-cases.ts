import assert from 'node:assert/strict';
import type { Insight } from '../hub/insight.ts';
import type { Delivery } from '../stores/delivery.ts';
import type { Outbox } from '../stores/outbox.ts';
import type { Stores } from '../stores/stores.ts';
import type { StoreCase } from './store-case.ts';

/** What every insight store does, with the outbox it delivers through. Stores are made with room for 32 insights a device. */
export const insightStoreCases: readonly StoreCase<Pick<Stores, 'insights' | 'outbox'>>[] = [
  {
    name: 'lists the insights of a device, newest last',
    async run({ insights }) {
      await insights.publish(insight('r1'));
      await insights.publish(insight('r2'));
      assert.deepEqual(await insights.recent('door', 10), [insight('r1'), insight('r2')]);
    },
  },
  {
    name: 'gives an insight back as it was published, nulls included',
    async run({ insights }) {
      const failed = insight('r1', { seq: null, status: 'failed', output: '', error: 'ä provider failed' });
      await insights.publish(failed);
      assert.deepEqual(await insights.recent('door', 1), [failed]);
    },
  },
  {
    name: 'lists the newest when there are more than the limit',
    async run({ insights }) {
      for (const id of ['r1', 'r2', 'r3']) await insights.publish(insight(id));
      assert.deepEqual(await insights.recent('door', 2), [insight('r2'), insight('r3')]);
      assert.deepEqual(await insights.recent('door', 0), []);
    },
  },
  {
    name: 'keeps devices apart',
    async run({ insights }) {
      await insights.publish(insight('r1'));
      await insights.publish(insight('r2', { device: 'yard' }));
      assert.deepEqual(await insights.recent('door', 10), [insight('r1')]);
      assert.deepEqual(await insights.recent('roof', 10), []);
    },
  },
  {
    name: 'takes the same run id and status once, and its delivery once',
    async run({ insights, outbox }) {
      await insights.publish(insight('r1'), delivery('d1'));
      await insights.publish(insight('r1'), delivery('d2'));
      assert.deepEqual(await insights.recent('door', 10), [insight('r1')]);
      assert.deepEqual(await deliveries(outbox), [[delivery('d1'), 1_000]]);
    },
  },
  {
    name: 'takes a run again when it has another status',
    async run({ insights }) {
      const waiting = insight('r1', { status: 'awaiting_approval' });
      await insights.publish(waiting);
      await insights.publish(insight('r1'));
      assert.deepEqual(await insights.recent('door', 10), [waiting, insight('r1')]);
    },
  },
  {
    name: 'takes every insight that comes from no run',
    async run({ insights }) {
      await insights.publish(insight('', { at_ms: 1 }));
      await insights.publish(insight('', { at_ms: 2 }));
      assert.equal((await insights.recent('door', 10)).length, 2);
    },
  },
  {
    name: 'makes a delivery due at the time of its insight',
    async run({ insights, outbox }) {
      await insights.publish(insight('r1', { at_ms: 5_000 }), delivery('d1'));
      assert.deepEqual(await deliveries(outbox), [[delivery('d1'), 5_000]]);
    },
  },
];

async function deliveries(outbox: Outbox): Promise<readonly (readonly [Delivery, number])[]> {
  const kept = await outbox.kept('watcher:yard', 10);
  return kept.map(({ id, endpoint, body, dueMs }) => [{ id, endpoint, body }, dueMs]);
}

function insight(runId: string, fields: Partial<Insight> = {}): Insight {
  return {
    type: 'insight',
    watcher: 'door_watch',
    device: 'door',
    agent: 'guard',
    seq: 7,
    status: 'completed',
    output: 'Nobody there.',
    error: null,
    run_id: runId,
    tokens: 120,
    at_ms: 1_000,
    ...fields,
  };
}

function delivery(id: string): Delivery {
  return { id, endpoint: 'watcher:yard', body: { type: 'insight' } };
}
