import { approvalRecord, opRecord, runRecord, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import type { SqlDatabase } from '../../src/index.ts';
import { sqlRunStore } from '../../src/index.ts';
import { fileDatabase, testDatabase } from '../open.ts';

const rootId = (n: number): string => `01ARZ3NDEKTSV4RRFF${String(n).padStart(8, '0')}`;
const text = 'What the porter saw at the front door, and why somebody should be asked first. '.repeat(3);

/** Roots that each made a call of a model and wait for a human. */
async function park(database: SqlDatabase, count: number): Promise<void> {
  const runs = sqlRunStore(database);
  for (let first = 0; first < count; first += 500) {
    const some = Array.from({ length: Math.min(500, count - first) }, async (_, i) => {
      const id = rootId(first + i);
      const call = { route: 'guard', values: { input: text }, via: 'http' } as const;
      const started = await runs.start(runRecord(id, { call }), 'p', 600_000);
      if (started.outcome !== 'started') throw new Error(started.outcome);
      const ops = [
        opRecord(id, 1, { kind: 'model', name: 'small', value: { text } }),
        opRecord(id, 2, { state: 'waiting', value: null, endedMs: null }),
      ];
      const approvals = [approvalRecord(id, { runId: id, seq: 2, reason: text })];
      await runs.commit(started.fence, { ops, approvals });
      return runs.park(started.fence);
    });
    await Promise.all(some);
  }
}

/** What something took where nothing else disturbed it, and usually. */
const spread = (ms: readonly number[]) => {
  const sorted = ms.toSorted((a, b) => a - b);
  return { least: sorted[0] ?? 0, middle: sorted[sorted.length >> 1] ?? 0 };
};

describe('thousands of parked roots', () => {
  it('take less than 4 KB of disk each, and are listed in pages', async () => {
    const database = await fileDatabase({ synchronous: 'normal' });
    const runs = sqlRunStore(database);
    await park(database, 2_500);
    const [pages] = await database.many(
      'select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()',
    );
    expect(Number(pages?.['bytes']) / 2_500).toBeLessThan(4_096);

    let after: string | undefined;
    let listed = 0;
    const ms: number[] = [];
    for (;;) {
      const beganMs = performance.now();
      const page = await runs.list({ statuses: ['waiting'], limit: 100, ...(after && { after }) });
      ms.push(performance.now() - beganMs);
      if (page.length === 0) break;
      listed += page.length;
      expect(page.every(({ status }) => status === 'waiting')).toBe(true);
      after = page.at(-1)?.runId;
    }
    expect(listed).toBe(2_500);
    // The last page costs what the first one costs.
    expect(spread(ms.slice(-11, -1)).least).toBeLessThan(20);
    expect(await runs.approvals({ status: 'pending', limit: 100, after: rootId(2_449) })).toHaveLength(50);

    // Health asks for it up to ten times a second: an index is read, and no row.
    const countMs: number[] = [];
    for (let i = 0; i < 9; i++) {
      const beganMs = performance.now();
      expect(await runs.countPending()).toBe(2_500);
      countMs.push(performance.now() - beganMs);
    }
    expect(spread(countMs).least).toBeLessThan(3);
  });

  it('stay while ended ones are deleted, 200 at a time', async () => {
    verifies('run.kept.whole');
    const database = await fileDatabase({ synchronous: 'normal' });
    const runs = sqlRunStore(database);
    await park(database, 1_500);
    for (let n = 0; n < 1_000; n++) await runs.cancel(rootId(n));
    // Others write meanwhile.
    let stopped = false;
    let writes = 0;
    const load = (async () => {
      while (!stopped) {
        await database.write([{ sql: 'update svc__fence set last = last + 1' }]);
        writes++;
      }
    })();
    const deleted: number[] = [];
    const tookMs: number[] = [];
    do {
      const before = process.cpuUsage();
      deleted.push(await runs.prune(0, 100));
      const { user, system } = process.cpuUsage(before);
      tookMs.push((user + system) / 1_000);
    } while (deleted.at(-1) !== 0);
    stopped = true;
    await load;
    expect(deleted).toEqual([200, 200, 200, 200, 200, 0]);
    expect(await runs.list({ statuses: ['cancelled'], limit: 9 })).toEqual([]);
    expect(await runs.list({ statuses: ['waiting'], limit: 1_500 })).toHaveLength(500);
    for (const table of ['op', 'approval']) {
      const [left] = await database.many(`select count(distinct run_id) as n from svc__${table}`);
      expect(left).toEqual({ n: 500 });
    }
    // Of the processor, others that use the machine do not count: 5 ms for each transaction, and room for the load.
    expect(spread(tookMs.slice(0, -1)).middle).toBeLessThan(15);
    expect(writes).toBeGreaterThan(5);
  });
});

describe('prune', () => {
  it.each([
    [199, [199, 0]],
    [200, [200, 0]],
    [201, [200, 1]],
  ])('deletes 200 small roots at a time: %i', async (count, deleted) => {
    const runs = sqlRunStore(await testDatabase());
    for (let n = 0; n < count; n++) {
      await runs.start(runRecord(rootId(n)), 'p', 600_000);
      await runs.cancel(rootId(n));
    }
    expect([await runs.prune(0, 9), await runs.prune(0, 9)]).toEqual(deleted);
  });

  it('deletes a large tree by itself', async () => {
    const runs = sqlRunStore(await testDatabase());
    for (const [n, count] of [1_100, 300, 10, 10].entries()) {
      const started = await runs.start(runRecord(`r${n}`), 'p', 600_000);
      if (started.outcome !== 'started') throw new Error(started.outcome);
      await runs.commit(started.fence, {
        ops: Array.from({ length: count }, (_, seq) => opRecord(`r${n}`, seq)),
      });
      await runs.cancel(`r${n}`);
    }
    expect(await runs.prune(0, 9)).toBe(1);
    expect(await runs.prune(0, 9)).toBe(3);
  });
});

describe('a commit', () => {
  it('costs a small multiple of a bare insert of the same bytes', async () => {
    const database = await fileDatabase({ synchronous: 'normal' });
    const runs = sqlRunStore(database);
    await database.write([
      { sql: 'create table bare (n integer primary key, id text, seq integer, bytes text)' },
    ]);
    const fences = await Promise.all(
      Array.from({ length: 32 }, async (_, n) => {
        const started = await runs.start(runRecord(rootId(n)), 'p', 600_000);
        if (started.outcome !== 'started') throw new Error(started.outcome);
        return started.fence;
      }),
    );
    let seq = 0;
    const bytes = JSON.stringify(opRecord(rootId(0), 1, { value: text }));
    const insert = 'insert into bare (id, seq, bytes) values (?, ?, ?)';
    const bare = (n: number) => database.write([{ sql: insert, args: [rootId(n), ++seq, bytes] }]);
    const commit = async (n: number) => {
      const fence = fences[n];
      if (fence) await runs.commit(fence, { ops: [opRecord(fence.rootId, ++seq, { value: text })] });
    };
    const measure = async (work: (n: number) => Promise<unknown>, atOnce: number) => {
      const ms: number[] = [];
      for (let round = 0; round < 100; round++) {
        const beganMs = performance.now();
        await Promise.all(Array.from({ length: atOnce }, (_, n) => work(n)));
        ms.push(performance.now() - beganMs);
      }
      return (spread(ms).least / atOnce) * 1_000;
    };
    for (const atOnce of [1, 32]) {
      await measure(bare, atOnce);
      const bareUs = await measure(bare, atOnce);
      const commitUs = await measure(commit, atOnce);
      expect(commitUs / bareUs, `${commitUs} µs, bare ${bareUs} µs, ${atOnce} at once`).toBeLessThan(30);
    }
  });
});
