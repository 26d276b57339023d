import { opRecord, runRecord, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { fileDatabase, testDatabase } from '../open.ts';
import { storesOfRuns } from './stores-of-runs.ts';

async function opened(keepBytesPerCaller?: number) {
  const database = await testDatabase();
  const stores = storesOfRuns(database, keepBytesPerCaller === undefined ? {} : { keepBytesPerCaller });
  const begin = async (runId: string, owner: string, input = 'x') => {
    const principal = { id: owner, rootId: owner, authenticated: true, scopes: [] };
    const call = { route: 'guard', values: { input }, via: 'http' } as const;
    const started = await stores.runs.start(runRecord(runId, { principal, call }), 'p', 600_000);
    if (started.outcome !== 'started') throw new Error(started.outcome);
    return started.fence;
  };
  const counted = async () => database.many('select owner, bytes from svc__kept order by owner');
  return { ...stores, begin, counted };
}

const completed = { status: 'completed', output: 'fine', error: null } as const;
const failed = { status: 'failed', output: null, error: { code: 'x', message: 'x', status: 500 } } as const;

/** What is stored of each principal's roots that rest, by reading all of it. */
const allBytes = `select principal_root as owner, sum(
    (select sum(octet_length(c.input) + octet_length(c.spec) + octet_length(c.principal)
        + coalesce(octet_length(c.definition), 0) + coalesce(octet_length(c.output), 0))
      from svc__run c where c.root_id = r.id)
    + coalesce((select sum(octet_length(o.input) + octet_length(o.value)) from svc__op o
        where o.run_id = r.id or o.run_id like r.id || '.%'), 0)
    + coalesce((select sum(octet_length(b.bytes)) from svc__blob b where b.holder = r.id), 0)) as bytes
  from svc__run r where parent_id is null and status <> 'running' group by principal_root order by 1`;

describe('the bytes that are counted of a principal', () => {
  it('are all that is stored of its runs, however they came to rest', async () => {
    const { runs, begin, counted, database } = await opened();
    const large = 'ä'.repeat(50_000);
    const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' };
    for (const owner of ['ada', 'bo', 'ä']) {
      const id = (what: string): string => `${owner}-${what}`;
      const whole = await begin(id('whole'), owner, 'ä'.repeat(100));
      await runs.startChild(
        whole,
        runRecord(`${whole.rootId}.1`, { rootId: whole.rootId, parentId: whole.rootId }),
      );
      const ops = [opRecord(`${whole.rootId}.1`, 1), opRecord(whole.rootId, 2, { value: [image, large] })];
      await runs.commit(whole, { ops });
      await runs.finish(whole, { runId: whole.rootId, ...completed, output: large });
      await runs.finish(await begin(id('alone'), owner), { runId: id('alone'), ...completed, alone: true });
      const broken = await begin(id('broken'), owner, large);
      await runs.commit(broken, { ops: [opRecord(broken.rootId, 1, { state: 'failed' })] });
      await runs.finish(broken, { runId: broken.rootId, ...failed });
      await runs.park(await begin(id('parked'), owner, large));
      await runs.park(await begin(id('late'), owner), { image, large });
      await runs.cancel((await begin(id('cancelled'), owner, large)).rootId);
      await runs.release(await begin(id('released'), owner), 'disturbed');
    }
    const all = await database.many(allBytes);
    expect(all).toHaveLength(3);
    expect(await counted()).toEqual(all);
    await runs.retry('ada-broken', 'ops');
    await runs.fork('bo-whole', 1, 'bo-forked', 'ops');
    await runs.take('p', 1, 600_000, 'bo-forked');
    const [taken] = await runs.take('p', 1, 600_000, 'ada-broken');
    await runs.finish(taken?.fence ?? { rootId: '', epoch: 0, wakes: 0 }, {
      runId: 'ada-broken',
      ...completed,
    });
    expect(await counted()).toEqual(await database.many(allBytes));
  });

  it('go with its runs', async () => {
    const { runs, begin, counted } = await opened();
    for (const [id, owner] of [
      ['r1', 'ada'],
      ['r2', 'bo'],
      ['r3', 'ada'],
    ] as const)
      await runs.finish(await begin(id, owner), { runId: id, ...completed });
    await runs.park(await begin('r4', 'bo'));
    expect(await runs.prune(600_000, 1)).toBe(2);
    expect((await counted()).map(({ owner }) => owner)).toEqual(['ada', 'bo']);
    expect(await runs.prune(0, 1)).toBe(1);
    expect((await counted()).map(({ owner }) => owner)).toEqual(['bo']);
  });

  it('are not those of a leg that lost its run, nor twice those of one that was told twice', async () => {
    const { runs, begin, counted, database } = await opened();
    const fence = await begin('r1', 'ada');
    await runs.finish({ ...fence, epoch: 9 }, { runId: 'r1', ...completed });
    expect(await counted()).toEqual([]);
    for (let i = 0; i < 2; i++) await runs.finish(fence, { runId: 'r1', ...completed });
    expect(await counted()).toEqual(await database.many(allBytes));
  });

  it('are known to the next process', async () => {
    const database = await fileDatabase();
    const stores = storesOfRuns(database, { keepBytesPerCaller: 500 });
    const call = { route: 'guard', values: { input: 'x'.repeat(500) }, via: 'http' } as const;
    await stores.runs.start(runRecord('r1', { call }), 'p', 600_000);
    await stores.runs.cancel('r1');
    const next = storesOfRuns(await testDatabase(`sqlite://${database.file}`), { keepBytesPerCaller: 500 });
    expect(await next.runs.start(runRecord('r2'), 'q', 600_000)).toEqual({ outcome: 'full', limit: 'bytes' });
  });
});

describe('the bytes that are kept of a principal', () => {
  it.each([
    [-1, 'full'],
    [0, 'full'],
    [1, 'started'],
  ])('leave no room from the limit on: %i bytes more than there are, %s', async (more, outcome) => {
    verifies('run.kept.bytes');
    const { runs, begin, counted, database } = await opened();
    await runs.finish(await begin('r1', 'desk'), { runId: 'r1', ...completed });
    const [row] = await counted();
    const limited = storesOfRuns(database, { keepBytesPerCaller: Number(row?.['bytes']) + more });
    expect((await limited.runs.start(runRecord('r2'), 'p', 600_000)).outcome).toBe(outcome);
  });

  it.each([
    [256 * 1024 * 1024 - 1, 'started'],
    [256 * 1024 * 1024, 'full'],
  ])('are 256 MiB unless told: with %i a run is %s', async (bytes, outcome) => {
    verifies('run.kept.bytes.default');
    const { runs, database } = await opened();
    await database.write([{ sql: "insert into svc__kept (owner, bytes) values ('desk', ?)", args: [bytes] }]);
    expect((await runs.start(runRecord('r1'), 'p', 600_000)).outcome).toBe(outcome);
  });
});
