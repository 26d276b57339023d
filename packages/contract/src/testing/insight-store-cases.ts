import assert from 'node:assert/strict';
import type { Insight } from '../hub/insight.ts';
import type { Delivery } from '../stores/delivery.ts';
import type { Outbox } from '../stores/outbox.ts';
import type { Evidence, Stores } from '../stores/stores.ts';
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
      const failed = insight('r1', {
        seq: null,
        status: 'failed',
        output: '',
        error: 'ä provider failed',
        cost_micros: null,
      });
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
    name: 'takes the same run id and status once, whatever goes along the second time',
    async run({ insights, outbox }) {
      const first = { deliveries: [delivery('d1')], evidence: evidence(1) };
      assert.equal(await insights.publish(insight('r1'), first), true);
      await insights.publish(insight('r2'));
      const again = { deliveries: [delivery('d2'), delivery('d3')], evidence: evidence(2) };
      assert.equal(await insights.publish(insight('r1', { output: 'Somebody.' }), again), false);
      assert.equal(await insights.publish(insight('r1')), false);
      assert.deepEqual(await insights.recent('door', 10), [insight('r1'), insight('r2')]);
      assert.deepEqual(await insights.evidence('door', 'r1'), { ...evidence(1), atMs: 1_000 });
      assert.deepEqual(await deliveries(outbox), [[delivery('d1'), 1_000]]);
    },
  },
  {
    name: 'keeps what completed, whatever a slower process tells of it later',
    async run({ insights, outbox }) {
      await insights.publish(insight('r1', { status: 'awaiting_approval' }), {
        deliveries: [delivery('d1')],
      });
      await insights.publish(insight('r1'), { deliveries: [delivery('d2')], evidence: evidence(1) });
      const late = { deliveries: [delivery('d3')], evidence: evidence(2) };
      assert.equal(await insights.publish(insight('r1', { status: 'awaiting_approval' }), late), false);
      assert.deepEqual(await insights.recent('door', 10), [insight('r1')]);
      assert.deepEqual(await insights.evidence('door', 'r1'), { ...evidence(1), atMs: 1_000 });
      assert.deepEqual(
        (await deliveries(outbox)).map(([{ id }]) => id),
        ['d2', 'd1'],
      );
    },
  },
  {
    name: 'tells one run of two devices apart',
    async run({ insights }) {
      assert.equal(await insights.publish(insight('r1')), true);
      assert.equal(await insights.publish(insight('r1', { device: 'yard' })), true);
    },
  },
  {
    name: 'replaces the insight of a run by that of another status, which is the newest then',
    async run({ insights }) {
      const waiting = insight('r1', { status: 'awaiting_approval' });
      assert.equal(await insights.publish(waiting), true);
      await insights.publish(insight('r2'));
      const failed = insight('r1', { status: 'failed' });
      assert.equal(await insights.publish(failed), true);
      assert.deepEqual(await insights.recent('door', 10), [insight('r2'), failed]);
      assert.equal(await insights.publish(failed), false);
      // It is retried, and may wait a second time.
      assert.equal(await insights.publish(waiting), true);
      assert.deepEqual(await insights.recent('door', 10), [insight('r2'), waiting]);
    },
  },
  {
    name: 'takes every insight that comes from no run, without evidence',
    async run({ insights }) {
      for (const atMs of [1, 1, 2])
        assert.equal(await insights.publish(insight('', { at_ms: atMs }), { evidence: evidence(1) }), true);
      assert.equal((await insights.recent('door', 10)).length, 3);
      assert.equal(await insights.evidence('door', ''), undefined);
    },
  },
  {
    name: 'makes all deliveries due at the time of their insight',
    async run({ insights, outbox }) {
      const both = [delivery('d1'), delivery('d2')];
      await insights.publish(insight('r1', { at_ms: 5_000 }), { deliveries: both });
      assert.deepEqual(await deliveries(outbox), [
        [delivery('d2'), 5_000],
        [delivery('d1'), 5_000],
      ]);
    },
  },
  {
    name: 'gives evidence back as it was published, by device and run',
    async run({ insights }) {
      assert.deepEqual(await insights.withEvidence('door'), new Set());
      await insights.publish(insight('r1'), { evidence: evidence(1) });
      await insights.publish(insight('r2'));
      await insights.publish(insight('r3'), { evidence: evidence(3, 0) });
      assert.deepEqual(await insights.evidence('door', 'r1'), { ...evidence(1), atMs: 1_000 });
      assert.deepEqual(await insights.evidence('door', 'r3'), { ...evidence(3, 0), atMs: 1_000 });
      for (const [device, run] of [['door', 'r2'] as const, ['yard', 'r1'] as const, ['door', 'r'] as const])
        assert.equal(await insights.evidence(device, run), undefined);
      assert.deepEqual(await insights.withEvidence('door'), new Set(['r1', 'r3']));
      assert.deepEqual(await insights.withEvidence('yard'), new Set());
    },
  },
  {
    name: 'leaves a run its evidence, from the time of its new insight, unless other is given',
    async run({ insights }) {
      await insights.publish(insight('r1', { status: 'awaiting_approval' }), { evidence: evidence(1) });
      await insights.publish(insight('r1', { status: 'failed', at_ms: 2_000 }));
      assert.deepEqual(await insights.evidence('door', 'r1'), { ...evidence(1), atMs: 2_000 });
      await insights.publish(insight('r1'), { evidence: evidence(2) });
      assert.deepEqual(await insights.evidence('door', 'r1'), { ...evidence(2), atMs: 1_000 });
    },
  },
  {
    name: 'lets evidence go with its insight',
    async run({ insights }) {
      for (let i = 0; i < 33; i++) await insights.publish(insight(`r${i}`), { evidence: evidence(i) });
      assert.equal(await insights.evidence('door', 'r0'), undefined);
      assert.equal((await insights.withEvidence('door')).size, 32);
      assert.deepEqual(await insights.evidence('door', 'r1'), { ...evidence(1), atMs: 1_000 });
    },
  },
  {
    name: 'keeps 16 MB of evidence of a device, the newest',
    async run({ insights }) {
      const quarter = 4 * 1_048_576;
      const put = (id: string, bytes: number, device = 'door') =>
        insights.publish(insight(id, { device }), { evidence: evidence(1, bytes) });
      for (const id of ['r1', 'r2', 'r3', 'r4']) await put(id, quarter);
      await put('r1', quarter, 'yard');
      assert.deepEqual(await insights.withEvidence('door'), new Set(['r1', 'r2', 'r3', 'r4']));
      await put('r5', 1);
      assert.deepEqual(await insights.withEvidence('door'), new Set(['r2', 'r3', 'r4', 'r5']));
      assert.deepEqual(await insights.withEvidence('yard'), new Set(['r1']));
      assert.equal((await insights.recent('door', 10)).length, 5);
    },
  },
  {
    name: 'keeps evidence that takes all there is, and none that is larger by itself',
    async run({ insights }) {
      const all = 16 * 1_048_576;
      await insights.publish(insight('r1'), { evidence: evidence(1) });
      await insights.publish(insight('r2'), { evidence: evidence(2, all + 1) });
      assert.deepEqual(await insights.withEvidence('door'), new Set(['r1']));
      await insights.publish(insight('r3'), { evidence: evidence(3, all) });
      assert.deepEqual(await insights.withEvidence('door'), new Set(['r3']));
      await insights.publish(insight('r4'), { evidence: evidence(4, all - 1) });
      assert.deepEqual(await insights.withEvidence('door'), new Set(['r4']));
      assert.equal((await insights.recent('door', 10)).length, 4);
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
    cost_micros: 1_250,
    at_ms: 1_000,
    ...fields,
  };
}

function delivery(id: string): Delivery {
  return { id, endpoint: 'watcher:yard', body: { type: 'insight' } };
}

function evidence(fill: number, size = 3): Evidence {
  return { mediaType: 'image/png', bytes: Buffer.alloc(size, fill), token: `t${fill}` };
}
