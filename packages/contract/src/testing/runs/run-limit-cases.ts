import assert from 'node:assert/strict';
import type {
  Fence,
  RunFinish,
  RunRecord,
  RunStart,
  RunStore,
  SessionStore,
} from '../../stores/run-store.ts';
import type { StoreCase } from '../store-case.ts';
import { opRecord, runRecord } from './run-records.ts';
import { end, leaseMs } from './stored-runs.ts';

/** Limits of the stores that `runLimitCases` are for; conversations are kept for a minute and more. */
export const limitsOfCases = {
  capacity: 4,
  perCaller: 2,
  maxBytes: 100_000,
  keepBytesPerCaller: 8_192,
} as const;

/** A run store with `limitsOfCases`, and the session store of the same database. */
interface LimitedStores {
  readonly runs: RunStore;
  readonly sessions: SessionStore;
}

const noBytes = { outcome: 'full', limit: 'bytes' } as const;

/** How every run store bounds what it keeps for one principal, and for all. */
export const runLimitCases: readonly StoreCase<LimitedStores>[] = [
  {
    name: 'gives up the session that a principal has not used for longest, for a newer one of its own',
    async run(stores) {
      const callers = new Callers(stores);
      await callers.turns('ada', 'a1', 'a2');
      await callers.turns('bo', 'b1');
      await callers.turns('ada', 'a1', 'a3');
      assert.deepEqual(await callers.known('a1', 'a2', 'a3', 'b1'), ['a1', 'a3', 'b1']);
    },
  },
  {
    name: 'gives up no session for those of another principal, however many these are',
    async run(stores) {
      const callers = new Callers(stores);
      await callers.turns('ada', 'a1');
      await callers.turns('bo', ...Array.from({ length: 12 }, (_, i) => `b${i}`));
      assert.deepEqual(await callers.known('a1', 'b9', 'b10', 'b11'), ['a1', 'b10', 'b11']);
      assert.equal(await stores.sessions.count(), 3);
    },
  },
  {
    name: 'refuses a new session where there are as many as there may be, and goes on with those',
    async run(stores) {
      const callers = new Callers(stores);
      await callers.turns('ada', 'a1', 'a2');
      await callers.turns('bo', 'b1', 'b2');
      const refused = callers.run('cy', 1);
      assert.deepEqual(await callers.start(refused, 'c1'), { outcome: 'full', limit: 'sessions' });
      assert.deepEqual((await stores.runs.load(refused.runId)).runs, []);
      await callers.turns('ada', 'a1');
      // Who has all that one may have makes room by giving up one of its own.
      await callers.turns('bo', 'b3');
      assert.deepEqual(await callers.known('a1', 'a2', 'b1', 'b2', 'b3'), ['a1', 'a2', 'b2', 'b3']);
      await stores.sessions.forget('a2');
      await callers.turns('cy', 'c1');
    },
  },
  {
    name: 'refuses a new session of a principal whose sessions are all held, and gives up none of these',
    async run(stores) {
      const callers = new Callers(stores);
      const held = await callers.began(callers.run('ada', 1), 'a1');
      await stores.runs.park(held);
      await callers.began(callers.run('ada', 1), 'a2');
      const limit = 'own_sessions';
      assert.deepEqual(await callers.start(callers.run('ada', 1), 'a3'), { outcome: 'full', limit });
      assert.equal((await callers.start(callers.run('ada', 1), 'a1')).outcome, 'busy');
      await callers.turns('bo', 'b1');
      await stores.runs.cancel(held.rootId);
      await callers.turns('ada', 'a3');
      assert.deepEqual(await callers.known('a1', 'a2', 'a3', 'b1'), ['a2', 'a3', 'b1']);
    },
  },
  {
    name: 'takes no turn of a session in which as much was said as one may hold, unless it begins anew',
    async run(stores) {
      const callers = new Callers(stores);
      const full = { outcome: 'full', limit: 'session' } as const;
      const tell = (characters: number, key: string): Promise<void> =>
        callers.ran(callers.run('ada', 1), { session: { messages: ['x'.repeat(characters)] } }, key);
      // Each has two quotation marks. What is large is kept apart from its message.
      const half = limitsOfCases.maxBytes / 2 - 2;
      await tell(half, 's');
      await tell(half - 1, 's');
      await tell(1, 's');
      assert.deepEqual(await callers.start(callers.run('ada', 1), 's'), full);
      await tell(half, 'just full');
      await tell(half, 'just full');
      assert.deepEqual(await callers.start(callers.run('ada', 1), 'just full'), full);
      await stores.sessions.forget('just full');
      await tell(2 * half + 4, 'large');
      assert.deepEqual(await callers.start(callers.run('ada', 1), 'large'), full);
      await stores.sessions.forget('large');
      // Others go on, and so does this one from nothing.
      await tell(1, 'another');
      await callers.turns('bo', 'b1');
      const anew = callers.run('ada', 1);
      const turn = { session: { key: 's', reset: true } };
      const started = await stores.runs.start({ ...anew, spec: { ...anew.spec, ...turn } }, 'p', leaseMs);
      assert.ok(started.outcome === 'started');
      await stores.runs.finish(started.fence, end(anew.runId, { session: { messages: ['hello'] } }));
      await tell(1, 's');
      assert.deepEqual((await stores.sessions.load('s'))?.messages, ['hello', 'x']);
    },
  },
  {
    name: 'starts nothing for a principal whose runs hold as many bytes as are kept, but answers again',
    async run(stores) {
      const callers = new Callers(stores);
      const first = callers.run('ada', 3_000, { idempotencyKey: 'k' });
      await callers.ran(first, { output: 'x'.repeat(3_000) });
      // While it is executed it is not counted.
      const second = callers.run('ada', 2_500);
      const fence = await callers.began(second);
      await callers.began(callers.run('ada', 10));
      await stores.runs.finish(fence, end(second.runId));
      assert.deepEqual(await callers.start(callers.run('ada', 10)), noBytes);
      await callers.began(callers.run('bo', 10));
      const again = { ...first, runId: 'other', rootId: 'other' };
      assert.equal((await callers.start(again)).outcome, 'repeated');
    },
  },
  {
    name: 'counts steps, children and large values of a run that waits, and what is left when it has ended',
    async run(stores) {
      const { runs } = stores;
      const callers = new Callers(stores);
      const root = callers.run('ada', 100);
      const fence = await callers.began(root);
      const child = runRecord(`${root.runId}.1`, { rootId: root.runId, parentId: root.runId });
      await runs.startChild(fence, child);
      await runs.commit(fence, { ops: [opRecord(child.runId, 1, { value: 'x'.repeat(70_000) })] });
      await callers.began(callers.run('ada', 10));
      assert.deepEqual(await runs.park(fence), { outcome: 'parked' });
      assert.deepEqual(await callers.start(callers.run('ada', 10)), noBytes);
      // Of the large value its type and size are left.
      await runs.cancel(root.runId);
      await callers.began(callers.run('ada', 10));
      const other = await callers.began(callers.run('bo', 10));
      const ops = [1, 2, 3].map((seq) => opRecord(other.rootId, seq, { value: 'x'.repeat(3_000) }));
      await runs.commit(other, { ops });
      await runs.release(other);
      assert.deepEqual(await callers.start(callers.run('bo', 10)), noBytes);
    },
  },
  {
    name: 'gives up the oldest runs of a principal that holds too many bytes when it is pruned, and none of another',
    async run(stores) {
      const callers = new Callers(stores);
      const other = callers.run('bo', 6_000);
      await callers.ran(other);
      const runs = [1, 2, 3].map(() => callers.run('ada', 2_600));
      for (const run of runs) await callers.ran(run);
      assert.deepEqual(await callers.start(callers.run('ada', 10)), noBytes);
      assert.equal(await stores.runs.prune(leaseMs, 100), 1);
      assert.equal(await stores.runs.prune(leaseMs, 100), 0);
      const left = (await stores.runs.list({ limit: 9 })).map(({ runId }) => runId);
      assert.deepEqual(left, [runs[2]?.runId, runs[1]?.runId, other.runId]);
      await callers.began(callers.run('ada', 10));
    },
  },
  {
    name: 'gives up no run that waits, however much it holds, nor others in its place',
    async run(stores) {
      const callers = new Callers(stores);
      const run = callers.run('ada', 9_000);
      await stores.runs.park(await callers.began(run));
      assert.equal(await stores.runs.prune(leaseMs, 100), 0);
      assert.deepEqual(await callers.start(callers.run('ada', 10)), noBytes);
      await stores.runs.cancel(run.runId);
      assert.equal(await stores.runs.prune(leaseMs, 100), 1);
      await callers.began(callers.run('ada', 10));
    },
  },
];

/** Callers of the stores of one case, whose runs have an id each. */
class Callers {
  readonly #stores: LimitedStores;
  #runs = 0;

  constructor(stores: LimitedStores) {
    this.#stores = stores;
  }

  /** A run of somebody, with an input of so many characters. */
  run(owner: string, characters: number, fields: Partial<RunRecord> = {}): RunRecord {
    const principal = { id: owner, rootId: owner, authenticated: true, scopes: [] };
    const call = { route: 'guard', values: { input: 'x'.repeat(characters) }, via: 'http' } as const;
    return runRecord(`r${String(++this.#runs).padStart(4, '0')}`, { principal, call, ...fields });
  }

  start(run: RunRecord, session?: string): Promise<RunStart> {
    const turn = session === undefined ? {} : { session: { key: session, reset: false } };
    return this.#stores.runs.start({ ...run, spec: { ...run.spec, ...turn } }, 'p', leaseMs);
  }

  async began(run: RunRecord, session?: string): Promise<Fence> {
    const answer = await this.start(run, session);
    assert.ok(answer.outcome === 'started', answer.outcome);
    return answer.fence;
  }

  /** A run from its start to its end. */
  async ran(run: RunRecord, fields: Partial<RunFinish> = {}, session?: string): Promise<void> {
    await this.#stores.runs.finish(await this.began(run, session), end(run.runId, fields));
  }

  /** One turn in each session. What was used last is told in milliseconds, so the next one comes later. */
  async turns(owner: string, ...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.ran(this.run(owner, 1), { session: { messages: [key] } }, key);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  async known(...keys: readonly string[]): Promise<readonly string[]> {
    const loaded = await Promise.all(keys.map((key) => this.#stores.sessions.load(key)));
    return keys.filter((_, i) => loaded[i] !== undefined);
  }
}
