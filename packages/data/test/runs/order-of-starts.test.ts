import { runRecord } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { testDatabase } from '../open.ts';
import { storesOfRuns } from './stores-of-runs.ts';

it('a process that 1,000 others have started after is forgotten, and as old as can be; numbers always grow', async () => {
  const database = await testDatabase();
  const { runs } = storesOfRuns(database);
  const enter = async (holder: string): Promise<void> => (await runs.enter(holder))();
  const count = async () =>
    (await database.many('select count(*) as n, max(start) as last from svc__holder'))[0];
  await enter('first');
  await runs.start(runRecord('r1'), 'first', 600_000);
  await Promise.all(Array.from({ length: 998 }, (_, i) => enter(`h${i}`)));
  expect(await count()).toEqual({ n: 999, last: 999 });
  await enter('under');
  expect(await count()).toEqual({ n: 1_000, last: 1_000 });
  expect(await runs.isOfNewer('r1', 'first')).toBe(false);
  await enter('over');
  expect(await count()).toEqual({ n: 1_000, last: 1_001 });
  expect(await runs.isOfNewer('r1', 'first')).toBe(true);
});

it('a process has one place, and those of its boot have that of the first', async () => {
  const database = await testDatabase();
  const { runs } = storesOfRuns(database);
  for (const [holder, boot] of [
    ['a', 'x'],
    ['b', 'y'],
    ['c', 'x'],
    ['a', 'x'],
    ['d', 'z'],
  ] as const)
    (await runs.enter(holder, boot))();
  const rows = await database.many('select id, start from svc__holder order by n');
  expect(rows.map(({ id, start }) => [id, start])).toEqual([
    ['a', 1],
    ['b', 2],
    ['c', 1],
    ['d', 4],
  ]);
});
