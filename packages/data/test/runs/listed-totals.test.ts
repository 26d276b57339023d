import { opRecord, runRecord, spendRecord, verifies } from '@waymark/contract/testing';
import { expect, it, onTestFinished } from 'vitest';
import { Connection } from '../../src/database/driver/connection.ts';
import { parseSql } from '../../src/database/sql-text.ts';
import { selectHeads } from '../../src/runs/read-page.ts';
import { selectCounts, selectRoots } from '../../src/runs/read-runs.ts';
import { migrations } from '../../src/stores/migrations.ts';
import { testDatabase, testFolder } from '../open.ts';
import { storesOfRuns } from './stores-of-runs.ts';

it('adds up the tree of a root, and nothing of one with a similar id', async () => {
  verifies('listing.runs.totals');
  const { runs } = storesOfRuns(await testDatabase());
  for (const [id, costMicros] of [
    ['r1', 5],
    ['r10', null],
  ] as const) {
    await runs.start(runRecord(id), 'p', 600_000);
    const fence = { rootId: id, epoch: 1, wakes: 0 };
    await runs.startChild(fence, runRecord(`${id}.1`, { rootId: id, parentId: id }));
    await runs.commit(fence, { ops: [opRecord(id, 1, { kind: 'value' }), opRecord(id, 2)] });
    const spend = [spendRecord, { ...spendRecord, costMicros }];
    await runs.commit(fence, { ops: [opRecord(`${id}.1`, 1, { kind: 'model' })], spend });
  }
  const { inputTokens, outputTokens, costMicros } = spendRecord;
  const sums = { steps: 2, inputTokens: 2 * inputTokens, outputTokens: 2 * outputTokens };
  expect((await runs.list({ limit: 9 })).map(({ runId, totals }) => [runId, totals])).toEqual([
    ['r10', { ...sums, costMicros: null }],
    ['r1', { ...sums, costMicros: (costMicros ?? 0) + 5 }],
  ]);
  const dearest = await runs.list({ dearest: true, limit: 9 });
  expect(dearest.map(({ runId }) => runId)).toEqual(['r1', 'r10']);
});

it('costs what is listed: no statement walks over all steps', () => {
  const path = `${testFolder()}/plan.db`;
  const connection = new Connection(path, 'PRAGMA journal_mode = WAL');
  onTestFinished(() => connection.close());
  for (const sql of migrations.flat()) connection.exec(sql);
  const statements = [
    selectRoots({ limit: 10 }),
    selectRoots({ limit: 10, dearest: true }),
    selectRoots({ limit: 10, dearest: true, after: 'r1' }),
    selectHeads({ roots: ['r1'], open: 5 }),
    selectCounts(0),
  ];
  for (const { sql } of statements) {
    const text = parseSql(sql);
    const values = text.parameters.map(() => null);
    const { rows } = connection.run({ ...text, sql: `explain query plan ${text.sql}` }, values);
    const steps = rows.map((row) => String(row[3]));
    expect(steps.length).toBeGreaterThan(0);
    expect([sql, steps.filter((step) => /^SCAN (o|svc__op)\b/.test(step))]).toEqual([sql, []]);
  }
});
