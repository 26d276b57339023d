import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { DeviceReport, FrameRecord, HubBackend, HubRecord } from '../hub/hub-backend.ts';
import type { Insight } from '../hub/insight.ts';
import type { StoreCase } from './store-case.ts';

/** What every place for device state does. Each keeps at least one frame of a device. */
export const hubBackendCases: readonly StoreCase<HubBackend>[] = [
  {
    name: 'numbers the frames of each device from 1 without gaps',
    async run(backend) {
      assert.equal(await backend.publishFrame('door', frame(1)), 1);
      assert.equal(await backend.publishFrame('door', frame(2)), 2);
      assert.equal(await backend.publishFrame('yard', frame(3)), 1);
      assert.equal(await backend.publishFrame('door', frame(4)), 3);
    },
  },
  {
    name: 'numbers frames that come at once in the order they came',
    async run(backend) {
      const records: HubRecord[] = [];
      await listen(backend, 'door', (record) => records.push(record));
      const numbers = await Promise.all(
        Array.from({ length: 20 }, async (_, i) => backend.publishFrame('door', frame(i))),
      );
      assert.deepEqual(
        numbers,
        Array.from({ length: 20 }, (_, i) => i + 1),
      );
      await until(() => records.length === 20);
      assert.deepEqual(records.map(seqOf), numbers);
      assert.deepEqual(
        records.map((record) => record.kind === 'frame' && record.bytes[0]),
        numbers.map((number) => number - 1),
      );
    },
  },
  {
    name: 'has the newest frame of a device as it was published',
    async run(backend) {
      assert.equal(await backend.newest('door'), undefined);
      await backend.publishFrame('door', frame(1));
      await backend.publishFrame('door', { ...frame(2), width: 640, height: 480 });
      await backend.publishFrame('yard', frame(3));
      const newest = await backend.newest('door');
      assert.ok(newest);
      assert.deepEqual({ ...newest, bytes: [...newest.bytes] }, {
        kind: 'frame',
        seq: 2,
        mediaType: 'image/png',
        bytes: [2, 2, 2],
        atMs: 2_000,
        width: 640,
        height: 480,
      } satisfies Omit<FrameRecord, 'bytes'> & { bytes: number[] });
    },
  },
  {
    name: 'has the frames that it keeps of a device, newest last',
    async run(backend) {
      assert.deepEqual(await backend.recent('door'), []);
      for (const fill of [1, 2]) await backend.publishFrame('door', frame(fill));
      await backend.publishFrame('yard', frame(3));
      const kept = (await backend.recent('door')).map(({ seq }) => seq);
      assert.deepEqual(kept, kept.length > 1 ? [1, 2] : [2]);
    },
  },
  {
    name: 'has the newest reading of a device',
    async run(backend) {
      assert.equal(await backend.telemetry('door'), undefined);
      await backend.publishTelemetry('door', { data: { celsius: 20 }, atMs: 1 });
      await backend.publishTelemetry('door', { data: { celsius: 21, open: null }, atMs: 2 });
      await backend.publishTelemetry('yard', { data: 3, atMs: 3 });
      const reading = { kind: 'telemetry', data: { celsius: 21, open: null }, atMs: 2 };
      assert.deepEqual(await backend.telemetry('door'), reading);
    },
  },
  {
    name: 'tells every subscriber of a device what is published on it, in order',
    async run(backend) {
      const first: HubRecord[] = [];
      const second: HubRecord[] = [];
      await listen(backend, 'door', (record) => first.push(record));
      await listen(backend, 'door', (record) => second.push(record));
      await backend.publishFrame('door', frame(1));
      await backend.publishTelemetry('door', { data: 20, atMs: 2 });
      await backend.publishFrame('yard', frame(3));
      await backend.publishInsight(insight('yard'));
      await backend.publishInsight(insight('door'));
      await until(() => first.length >= 3 && second.length >= 3);
      for (const [newest, reading, concluded, ...more] of [first, second]) {
        assert.ok(newest?.kind === 'frame' && newest.seq === 1);
        assert.deepEqual([...newest.bytes], [1, 1, 1]);
        assert.deepEqual(reading, { kind: 'telemetry', data: 20, atMs: 2 });
        assert.deepEqual(concluded, { kind: 'insight', insight: insight('door') });
        assert.deepEqual(more, []);
      }
    },
  },
  {
    name: 'tells a subscriber nothing that was published before it came',
    async run(backend) {
      const records: HubRecord[] = [];
      await backend.publishFrame('door', frame(1));
      await listen(backend, 'door', (record) => records.push(record));
      await backend.publishFrame('door', frame(2));
      await until(() => records.length > 0);
      assert.deepEqual(records.map(seqOf), [2]);
    },
  },
  {
    name: 'tells a subscriber nothing once it has cancelled',
    async run(backend) {
      const before: HubRecord[] = [];
      const after: HubRecord[] = [];
      const { cancel, ready } = backend.subscribe('door', (record) => before.push(record));
      await ready;
      await listen(backend, 'door', (record) => after.push(record));
      await backend.publishFrame('door', frame(1));
      await until(() => before.length === 1 && after.length === 1);
      cancel();
      cancel();
      await backend.publishFrame('door', frame(2));
      await until(() => after.length === 2);
      assert.deepEqual(before.map(seqOf), [1]);
    },
  },
  {
    name: 'tells how a device is, between what is published before and after',
    async run(backend) {
      const records: HubRecord[] = [];
      await listen(backend, 'door', (record) => records.push(record));
      await backend.publishFrame('door', frame(1));
      await backend.publishStatus('door', { status: 'online', atMs: 1 });
      await backend.publishStatus('yard', { status: 'stale', atMs: 2 });
      await backend.publishFrame('door', frame(2));
      await until(() => records.length === 3);
      assert.deepEqual(
        records.map(({ kind }) => kind),
        ['frame', 'status', 'frame'],
      );
      assert.deepEqual(records[1], { kind: 'status', status: 'online', atMs: 1 });
    },
  },
  {
    name: 'has the last report of each process on a device',
    async run(backend) {
      assert.deepEqual(await backend.reports('door'), new Map());
      await backend.report('door', 'a', report(1), 60_000);
      await backend.report('door', 'b', report(2), 60_000);
      await backend.report('yard', 'a', report(3), 60_000);
      await backend.report('door', 'a', report(4), 60_000);
      assert.deepEqual(
        await backend.reports('door'),
        new Map([
          ['a', report(4)],
          ['b', report(2)],
        ]),
      );
    },
  },
  {
    name: 'forgets the report of a process that says nothing any more',
    async run(backend) {
      await backend.report('door', 'a', report(1), 60_000);
      await backend.report('door', 'b', report(2), 1);
      // One that nobody can leave without a word has nothing to forget.
      const there = await backend.reports('door');
      assert.deepEqual(there.get('a'), report(1));
      await backend.report('door', 'b', report(3), 60_000);
      assert.deepEqual((await backend.reports('door')).get('b'), report(3));
    },
  },
  {
    name: 'misses nothing from when a subscriber is ready on, however many come and go',
    async run(backend) {
      for (let i = 0; i < 20; i++) {
        const records: HubRecord[] = [];
        const { cancel, ready } = backend.subscribe('door', (record) => records.push(record));
        await ready;
        const seq = await backend.publishFrame('door', frame(i));
        await until(() => records.length === 1);
        assert.deepEqual(records.map(seqOf), [seq]);
        cancel();
      }
    },
  },
  {
    name: 'lets go of a subscriber that does not wait until it is ready',
    async run(backend) {
      const records: HubRecord[] = [];
      for (let i = 0; i < 20; i++) backend.subscribe('door', (record) => records.push(record)).cancel();
      const after: HubRecord[] = [];
      await listen(backend, 'door', (record) => after.push(record));
      await backend.publishFrame('door', frame(1));
      await until(() => after.length === 1);
      assert.deepEqual(records, []);
    },
  },
  {
    name: 'gives what only one may do to one, until that one lets go of it',
    async run(backend) {
      assert.equal(await backend.claim('door', 'a', 60_000), true);
      assert.equal(await backend.claim('door', 'b', 60_000), false);
      assert.equal(await backend.claim('yard', 'b', 60_000), true);
      assert.equal(await backend.claim('door', 'a', 60_000), true);
      // Who does not have it cannot let go of it.
      assert.equal(await backend.claim('door', 'b', 0), false);
      assert.equal(await backend.claim('door', 'b', 60_000), false);
      assert.equal(await backend.claim('door', 'a', 0), false);
      assert.equal(await backend.claim('door', 'b', 60_000), true);
    },
  },
  {
    name: 'gives what only one may do to another when its time is over',
    async run(backend) {
      assert.equal(await backend.claim('door', 'a', 5), true);
      const endMs = performance.now() + patienceMs;
      while (!(await backend.claim('door', 'b', 60_000)))
        assert.ok(performance.now() < endMs, 'it is held for ever');
      assert.equal(await backend.claim('door', 'a', 60_000), false);
    },
  },
  {
    name: 'keeps pictures of any size and bytes as they are',
    async run(backend) {
      const records: HubRecord[] = [];
      await listen(backend, 'door', (record) => records.push(record));
      // Line feeds, zeros, what is no text, and more than a message of a broker usually has.
      for (const length of [1, 70_000, 2_000_000]) {
        const bytes = Uint8Array.from({ length }, (_, i) => (i * 7) % 256);
        await backend.publishFrame('door', { ...frame(1), bytes });
        const newest = await backend.newest('door');
        assert.ok(newest && Buffer.compare(newest.bytes, bytes) === 0);
        const told = (): HubRecord | undefined => records.find((record) => seqOf(record) === newest.seq);
        await until(() => told() !== undefined);
        const record = told();
        assert.ok(record?.kind === 'frame' && Buffer.compare(record.bytes, bytes) === 0);
      }
    },
  },
  {
    name: 'refuses what is published once it is closed, and tells nobody',
    async run(backend) {
      const records: HubRecord[] = [];
      await listen(backend, 'door', (record) => records.push(record));
      await backend.close();
      await backend.close();
      const refused = { status: 503 };
      await assert.rejects(async () => backend.publishFrame('door', frame(1)), refused);
      await assert.rejects(async () => backend.publishTelemetry('door', { data: 1, atMs: 1 }), refused);
      await assert.rejects(backend.publishInsight(insight('door')), refused);
      await assert.rejects(backend.publishStatus('door', { status: 'online', atMs: 1 }), refused);
      await assert.rejects(backend.report('door', 'a', report(1), 1_000), refused);
      assert.deepEqual(records, []);
    },
  },
];

/** An implementation that is far away answers when it can. */
const patienceMs = 5_000;

async function until(holds: () => boolean): Promise<void> {
  const endMs = performance.now() + patienceMs;
  while (!holds()) {
    assert.ok(performance.now() < endMs, 'what was to come has not come');
    await turn();
  }
}

async function listen(
  backend: HubBackend,
  device: string,
  listener: (record: HubRecord) => void,
): Promise<void> {
  await backend.subscribe(device, listener).ready;
}

function report(framesIn: number): DeviceReport {
  return { status: 'online', framesIn, framesDropped: 0, bytesIn: 3 * framesIn, fps: 1, subscribers: 2 };
}

function frame(fill: number): Omit<FrameRecord, 'kind' | 'seq'> {
  return { mediaType: 'image/png', bytes: new Uint8Array(3).fill(fill), atMs: fill * 1_000 };
}

function seqOf(record: HubRecord): number | undefined {
  return record.kind === 'frame' ? record.seq : undefined;
}

function insight(device: string): Insight {
  return {
    type: 'insight',
    watcher: 'guard',
    device,
    agent: 'lookout',
    seq: 1,
    status: 'completed',
    output: 'nobody there',
    error: null,
    run_id: 'run-1',
    tokens: 12,
    cost_micros: 0,
    at_ms: 1,
  };
}
