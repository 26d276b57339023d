import { runRecord } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { sqlRunStore } from '../../src/index.ts';
import { fileDatabase } from '../open.ts';

const most = 100_000;
const samples = 200;

it('roots with a memo are found in no time beside 100,000 that were seen to', async () => {
  const database = await fileDatabase({ synchronous: 'normal' });
  await database.write([
    {
      sql: `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
        insert into svc__run (id, root_id, status, epoch, kind, name, depth, principal_root, created_ms, ended_ms, route, via,
          principal, spec, input, output, memo, acknowledged)
        select printf('r%06d', i), printf('r%06d', i), 'completed', 1, 'agent', 'guard', 0, 'watcher:yard', 1, 2, 'guard',
          'watcher', '{"id":"watcher:yard"}', '{}', '~', '"fine"', '{"tick":1}', 'completed' from n`,
      args: [most],
    },
  ]);
  const runs = sqlRunStore(database);
  const call = { route: 'guard', values: {}, via: 'watcher', memo: 1 } as const;
  for (let i = 0; i < 5; i++) await runs.start(runRecord(`r09000${i}a`, { call }), 'p', 600_000);
  const ms: number[] = [];
  for (let i = 0; i < samples; i++) {
    const beganMs = performance.now();
    const found = await runs.memos({ limit: 100 });
    ms.push(performance.now() - beganMs);
    expect(found).toHaveLength(5);
  }
  const middle = ms.toSorted((a, b) => a - b)[samples >> 1] ?? 0;
  // A quarter of a millisecond, way to the database and back included; looking at all of them takes 100 times that.
  expect(middle).toBeLessThan(3 * 0.25);
});
