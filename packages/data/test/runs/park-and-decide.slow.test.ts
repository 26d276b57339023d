import type { Fence, RunStore } from '@waymark/contract/stores';
import { approvalRecord, opRecord, runRecord } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { sqlRunStore } from '../../src/index.ts';
import { testDatabase, testFolder } from '../open.ts';
import { outputOf, spawnScript } from '../processes/spawn.ts';

/** Two processes as far as the file can tell: each has its own connections and its own queue. */
async function twoStores(): Promise<readonly [RunStore, RunStore]> {
  const url = `sqlite://${testFolder()}/race.db`;
  const open = async () => sqlRunStore(await testDatabase(url, { synchronous: 'normal' }));
  return [await open(), await open()];
}

/** A root that has asked a human, and is about to park. */
async function asking(runs: RunStore, runId: string): Promise<Fence> {
  const started = await runs.start(runRecord(runId), 'p', 600_000);
  if (started.outcome !== 'started') throw new Error(started.outcome);
  await runs.commit(started.fence, {
    ops: [opRecord(runId, 1, { state: 'waiting', value: null, endedMs: null })],
    approvals: [approvalRecord(`a-${runId}`, { runId })],
  });
  return started.fence;
}

const rounds = Array.from({ length: 60 }, (_, i) => `r${i}`);
/** Lets some turns of the event loop go by, so that each round meets in another order. */
const soon = async (turns = Math.floor(Math.random() * 4)): Promise<void> => {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
};

describe('two processes on one file', () => {
  it('never lose a decision that meets a park', async () => {
    const [one, two] = await twoStores();
    const outcomes = new Set<string>();
    for (const runId of rounds) {
      const fence = await asking(one, runId);
      const [parked, decided] = await Promise.all([
        soon().then(() => one.park(fence)),
        soon().then(() => two.decide(`a-${runId}`, { status: 'approved', note: '', by: 'ops' })),
      ]);
      expect(decided).toEqual({ outcome: 'decided', rootId: runId });
      outcomes.add(parked.outcome);
      // Whoever was later has seen the other: the root works on, or can be taken.
      if (parked.outcome === 'woken') expect(parked.fence.wakes).toBe(1);
      else expect(await two.take('q', 1, 600_000, runId)).toHaveLength(1);
    }
    expect([...outcomes].sort()).toEqual(['parked', 'woken']);
  });

  it('record one decision of several', async () => {
    const [one, two] = await twoStores();
    for (const runId of rounds) {
      await asking(one, runId);
      const outcomes = await Promise.all(
        [one, two, one, two].map(async (runs, i) => {
          await soon();
          const status = i % 2 === 0 ? 'approved' : 'denied';
          return { by: `ops${i}`, ...(await runs.decide(`a-${runId}`, { status, note: '', by: `ops${i}` })) };
        }),
      );
      const won = outcomes.filter(({ outcome }) => outcome === 'decided');
      expect(won).toHaveLength(1);
      expect((await two.approval(`a-${runId}`))?.decidedBy).toBe(won[0]?.by);
      expect((await one.load(runId)).runs[0]?.status).toBe('running');
    }
  });

  it('give a root to one of those who take it', async () => {
    const [one, two] = await twoStores();
    for (const runId of rounds) await one.release(await asking(one, runId));
    const taken = await Promise.all(
      [one, two, one, two].map(async (runs, i) => {
        await soon();
        const ids: string[] = [];
        for (let more = true; more; ) {
          const roots = await runs.take(`p${i}`, 3, 600_000);
          ids.push(...roots.map(({ fence }) => fence.rootId));
          // Others may have been quicker with the ones that were seen.
          more = roots.length > 0 || (await runs.list({ statuses: ['ready'], limit: 1 })).length > 0;
        }
        return ids;
      }),
    );
    expect(taken.flat().sort()).toEqual([...rounds].sort());
  });

  it('cancel a root or write to it, and never both', async () => {
    const [one, two] = await twoStores();
    const outcomes = new Set<string>();
    for (const runId of rounds) {
      const fence = await asking(one, runId);
      const writes = {
        commit: () => one.commit(fence, { ops: [opRecord(runId, 2)] }),
        finish: () => one.finish(fence, { runId, status: 'completed', output: 'out', error: null }),
        park: async () => ((await one.park(fence)).outcome === 'parked' ? 0 : undefined),
      };
      const names = ['commit', 'finish', 'park'] as const;
      const name = names[rounds.indexOf(runId) % 3] ?? 'commit';
      const [written, cancelled] = await Promise.all([
        soon().then(writes[name]),
        soon().then(() => two.cancel(runId)),
      ]);
      outcomes.add(`${name} ${written === undefined ? 'lost' : 'written'}`);
      const { runs, ops, approvals } = await one.load(runId);
      const finished = name === 'finish' && written !== undefined;
      expect(runs[0]?.status).toBe(finished ? 'completed' : 'cancelled');
      expect(cancelled).toBe(finished ? 'terminal' : 'cancelled');
      expect(ops).toHaveLength(name === 'commit' && written !== undefined ? 2 : 1);
      expect(approvals[0]?.status).toBe('withdrawn');
      expect(await one.decide(`a-${runId}`, { status: 'approved', note: '', by: 'ops' })).toEqual({
        outcome: 'already',
      });
    }
    expect(outcomes.size).toBeGreaterThan(3);
  });

  it('start a run once for one idempotency key, and one turn of a session', async () => {
    const [one, two] = await twoStores();
    for (const runId of rounds.slice(0, 20)) {
      const spec = { ...runRecord(runId).spec, session: { key: runId, reset: false } };
      const record = (n: number, key: string | null) =>
        runRecord(`${runId}-${n}`, { idempotencyKey: key, spec: key === null ? spec : runRecord('r').spec });
      const start = async (runs: RunStore, n: number, key: string | null) => {
        await soon();
        return (await runs.start(record(n, key), 'p', 600_000)).outcome;
      };
      const keyed = await Promise.all([start(one, 1, runId), start(two, 2, runId), start(one, 3, runId)]);
      expect(keyed.sort()).toEqual(['repeated', 'repeated', 'started']);
      const turns = await Promise.all([start(one, 4, null), start(two, 5, null), start(one, 6, null)]);
      expect(turns.sort()).toEqual(['busy', 'busy', 'started']);
    }
  });
});

describe('three processes on one file', () => {
  it('take each root once, and count each decision once', async () => {
    const file = `${testFolder()}/race.db`;
    const runs = sqlRunStore(await testDatabase(`sqlite://${file}`, { synchronous: 'normal' }));
    for (const runId of rounds) await runs.release(await asking(runs, runId));
    const children = ['p1', 'p2', 'p3'].map((name) =>
      outputOf(spawnScript('../runs/take-and-decide.ts', file, name, rounds.join())),
    );
    const ended = await Promise.all(children);
    expect(ended.map(({ errors }) => errors)).toEqual(['', '', '']);
    const lines = ended.flatMap(({ text }) => text.trim().split('\n'));
    const of = (word: string) =>
      lines.filter((line) => line.startsWith(word)).map((line) => line.slice(word.length + 1));
    expect(of('took').sort()).toEqual([...rounds].sort());
    expect(of('decided').sort()).toEqual([...rounds].sort());
    for (const root of await runs.list({ limit: 100 })) expect(root.status).toBe('running');
  });
});
