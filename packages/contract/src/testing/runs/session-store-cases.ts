import assert from 'node:assert/strict';
import type { Json } from '../../engine/json.ts';
import type { SessionAppend } from '../../runs/run.ts';
import type { Fence, RunRecord, RunStore, SessionStore } from '../../stores/run-store.ts';
import type { StoreCase } from '../store-case.ts';
import { runRecord } from './run-records.ts';

/** A session store, and the runs that write its sessions. */
interface StoresOfSessions {
  readonly runs: RunStore;
  readonly sessions: SessionStore;
}

/** What every session store does. Stores are made with room for at least 10 sessions, for a minute and more. */
export const sessionStoreCases: readonly StoreCase<StoresOfSessions>[] = [
  {
    name: 'knows no session before its first turn',
    async run({ sessions }) {
      assert.equal(await sessions.load('s'), undefined);
      assert.equal(await sessions.count(), 0);
      await sessions.forget('s');
    },
  },
  {
    name: 'holds a session without messages from its first turn on',
    async run({ runs, sessions }) {
      await start(runs, 'r1');
      assert.deepEqual(await sessions.load('s'), { fromN: 1, uptoN: 0, messages: [] });
      assert.equal(await sessions.count(), 1);
    },
  },
  {
    name: 'appends what each turn says when it ends',
    async run({ runs, sessions }) {
      await turn(runs, 'r1', { messages: ['a', { role: 'b', text: 'ä\0' }] });
      await turn(runs, 'r2', { messages: ['c'] });
      const messages = ['a', { role: 'b', text: 'ä\0' }, 'c'];
      assert.deepEqual(await sessions.load('s'), { fromN: 1, uptoN: 3, messages });
      assert.equal(await sessions.count(), 1);
    },
  },
  {
    name: 'keeps sessions apart',
    async run({ runs, sessions }) {
      await turn(runs, 'r1', { messages: ['a'] });
      await turn(runs, 'r2', { messages: ['b'] }, { key: 's:1', reset: false });
      assert.deepEqual((await sessions.load('s'))?.messages, ['a']);
      assert.deepEqual((await sessions.load('s:1'))?.messages, ['b']);
      assert.equal(await sessions.count(), 2);
    },
  },
  {
    name: 'begins with the summary after a compaction',
    async run({ runs, sessions }) {
      await turn(runs, 'r1', { messages: ['a', 'b'] });
      await turn(runs, 'r2', { messages: ['summary', 'c'], replaces: true });
      assert.deepEqual(await sessions.load('s'), { fromN: 3, uptoN: 4, messages: ['summary', 'c'] });
    },
  },
  {
    name: 'gives a run the messages that were there when it began',
    async run({ runs, sessions }) {
      await turn(runs, 'r1', { messages: ['a', 'b', 'c'] });
      const range = { fromN: 2, uptoN: 3 };
      assert.deepEqual(await sessions.load('s', range), { ...range, messages: ['b', 'c'] });
      const nothing = { fromN: 4, uptoN: 3 };
      assert.deepEqual(await sessions.load('s', nothing), { ...nothing, messages: [] });
    },
  },
  {
    name: 'forgets what was said when a turn resets it, and numbers on',
    async run({ runs, sessions }) {
      await turn(runs, 'r1', { messages: ['a', 'b'] });
      const fence = await start(runs, 'r2', { key: 's', reset: true });
      assert.deepEqual(await sessions.load('s'), { fromN: 3, uptoN: 2, messages: [] });
      await runs.finish(fence, { ...ended('r2'), session: { messages: ['c'] } });
      assert.deepEqual(await sessions.load('s'), { fromN: 3, uptoN: 3, messages: ['c'] });
    },
  },
  {
    name: 'forgets nothing for a turn that did not start',
    async run({ runs, sessions }) {
      const first = record('r1', { key: 's', reset: true });
      const started = await runs.start({ ...first, idempotencyKey: 'k' }, 'p', leaseMs);
      assert.ok(started.outcome === 'started');
      await runs.finish(started.fence, { ...ended('r1'), session: { messages: ['a'] } });
      const again = { ...first, runId: 'r2', rootId: 'r2', idempotencyKey: 'k' };
      assert.equal((await runs.start(again, 'p', leaseMs)).outcome, 'repeated');
      assert.deepEqual((await sessions.load('s'))?.messages, ['a']);
      await start(runs, 'r3');
      const busy = await runs.start(record('r4', { key: 's', reset: true }), 'p', leaseMs);
      assert.equal(busy.outcome, 'busy');
      assert.deepEqual((await sessions.load('s'))?.messages, ['a']);
    },
  },
  {
    name: 'takes nothing from turns that failed or were cancelled, and is free again',
    async run({ runs, sessions }) {
      const failing = await start(runs, 'r1');
      await runs.finish(failing, { ...ended('r1'), status: 'failed', session: { messages: ['a'] } });
      await start(runs, 'r2');
      await runs.cancel('r2');
      await turn(runs, 'r3', { messages: ['c'] });
      assert.deepEqual(await sessions.load('s'), { fromN: 1, uptoN: 1, messages: ['c'] });
    },
  },
  {
    name: 'takes nothing from a leg that lost its run',
    async run({ runs, sessions }) {
      const fence = await start(runs, 'r1');
      const stale = { ...fence, epoch: fence.epoch + 1 };
      const finish = { ...ended('r1'), session: { messages: ['a'] } };
      assert.equal(await runs.finish(stale, finish), undefined);
      assert.deepEqual(await sessions.load('s'), { fromN: 1, uptoN: 0, messages: [] });
      const busy = await runs.start(record('r2'), 'p', leaseMs);
      assert.equal(busy.outcome, 'busy');
    },
  },
  {
    name: 'can be forgotten, unless a run holds it',
    async run({ runs, sessions }) {
      await turn(runs, 'r1', { messages: ['a'] });
      await runs.park(await start(runs, 'r2'));
      await sessions.forget('s');
      assert.deepEqual((await sessions.load('s'))?.messages, ['a']);
      await runs.cancel('r2');
      await sessions.forget('s');
      assert.equal(await sessions.load('s'), undefined);
      assert.equal(await sessions.count(), 0);
    },
  },
  {
    name: 'keeps images and long messages as they are',
    async run({ runs, sessions }) {
      const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' };
      const messages: Json[] = [
        { role: 'user', parts: [image, { ...image, mediaType: 'image/x' }] },
        'ä'.repeat(100_000),
      ];
      await turn(runs, 'r1', { messages });
      assert.deepEqual((await sessions.load('s'))?.messages, messages);
      await turn(runs, 'r2', { messages: [image] });
      assert.deepEqual((await sessions.load('s'))?.messages, [...messages, image]);
    },
  },
];

const leaseMs = 600_000;

type Turn = NonNullable<RunRecord['spec']['session']>;

const again: Turn = { key: 's', reset: false };

function record(runId: string, session = again): RunRecord {
  const run = runRecord(runId);
  return { ...run, spec: { ...run.spec, session } };
}

async function start(runs: RunStore, runId: string, session?: Turn): Promise<Fence> {
  const started = await runs.start(record(runId, session), 'p', leaseMs);
  assert.ok(started.outcome === 'started', started.outcome);
  return started.fence;
}

function ended(runId: string) {
  return { runId, status: 'completed', output: null, error: null } as const;
}

async function turn(runs: RunStore, runId: string, session: SessionAppend, taken?: Turn): Promise<void> {
  await runs.finish(await start(runs, runId, taken), { ...ended(runId), session });
}
