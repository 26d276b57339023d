// Runs the promises of the database and of its stores against a libsql server, and prints what became of each.
// Arguments: its URL, the URL of a port where nobody listens, and how many steps a large run has.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HTTPError } from '@waymark/contract';
import {
  auditStoreCases,
  insightStoreCases,
  leasesCases,
  opRecord,
  outboxCases,
  runRecord,
  runRetryCases,
  runStoreCases,
  runWaitCases,
  type StoreCase,
  sessionStoreCases,
  usageStoreCases,
} from '@waymark/contract/testing';
import { openDatabase, type SqlDatabase, sqlRunStore, sqlSessionStore } from '../../src/index.ts';
import { sqlStores } from '../../src/stores/index.ts';

const [url = '', nobody = '', steps = '300'] = process.argv.slice(2);
const lines: string[] = [];
// The first makes the service's tables, however short the transactions of others may be.
await (await openDatabase(url, { transactionMs: 1 })).close();
const database = await openDatabase(url, {
  transactionMs: 300,
  slowMs: 0.001,
  log: (...line) => void lines.push(JSON.stringify(line)),
});
// As the cases of outboxes want it.
const outbox = { keep: 5, keepPerEndpoint: 3, keepDelivered: 2 };
// Cases say what time it is.
const stores = sqlStores(database, { outbox, leases: { clock: 'given' } });
const runs = sqlRunStore(database);
const storesOfRuns = { ...stores, database, runs, sessions: sqlSessionStore(database) };

async function check(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
    console.log(`ok ${name}`);
  } catch (error) {
    console.log(`failed ${name}: ${String(error)}`);
  }
}

/** Whatever the service keeps. */
async function clear(): Promise<void> {
  const tables = [
    'audit',
    'insight',
    'evidence',
    'outbox',
    'outbox_line',
    'lease',
    'use',
    'spend',
    'approval',
  ];
  const ofRuns = ['op', 'wait', 'blob', 'session_message', 'session', 'run'];
  await database.write([...tables, ...ofRuns].map((table) => ({ sql: `delete from svc__${table}` })));
}

async function checkCases<S>(of: string, cases: readonly StoreCase<S>[], store: S): Promise<void> {
  for (const { name, run } of cases) {
    await clear();
    await check(`${of} ${name}`, () => run(store));
  }
}

const statusOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 200,
    (error: HTTPError) => error.status ?? String(error),
  );
const insert = (id: unknown, a: unknown = 'a') => ({
  sql: 'insert into t (id, a) values (?, ?)',
  args: [id, a],
});

await database.write([
  { sql: 'drop table if exists t' },
  {
    sql: "create table t (id integer primary key, a text check (a <> 'bad'), b integer references t) strict",
  },
]);

await checkCases('audit', auditStoreCases, stores.audit);
await checkCases(
  'insights',
  insightStoreCases.filter(({ name }) => !name.startsWith('keeps evidence that takes all there is')),
  stores,
);
await checkCases('leases', leasesCases, stores.leases);
await checkCases('outbox', outboxCases, stores.outbox);
await checkCases('usage', usageStoreCases, stores.usage);
await checkCases('runs', [...runStoreCases, ...runWaitCases, ...runRetryCases], storesOfRuns);
await checkCases('sessions', sessionStoreCases, storesOfRuns);
await clear();

await check('holders whose clocks are hours apart have one lease', async () => {
  const { leases } = sqlStores(database);
  const hourMs = 3_600_000;
  assert.ok(await leases.acquire('one', 'a', 60_000, 0));
  assert.equal(await leases.acquire('one', 'b', 60_000, 5 * hourMs), undefined);
  assert.equal(await leases.acquire('one', 'b', 60_000, -5 * hourMs), undefined);
});

await check('pictures are kept up to what a server takes, and insights beyond it', async () => {
  for (const [id, bytes] of [
    ['under', 4_899_999],
    ['at', 4_900_000],
    ['over', 4_900_001],
  ] as const)
    await stores.insights.publish(
      {
        ...{ type: 'insight', watcher: 'w', device: 'large', agent: 'a', seq: 1, status: 'completed' },
        ...{ output: id, error: null, run_id: id, tokens: 1, cost_micros: 1, at_ms: 1 },
      },
      { evidence: { mediaType: 'image/png', bytes: Buffer.alloc(bytes), token: id } },
    );
  assert.deepEqual(await stores.insights.withEvidence('large'), new Set(['under', 'at']));
  assert.equal((await stores.insights.recent('large', 9)).length, 3);
  assert.equal((await stores.insights.evidence('large', 'at'))?.bytes.length, 4_900_000);
});

await check(`a large run of ${steps} steps is taken up, in one state of the database`, async () => {
  const started = await runs.start(runRecord('large'), 'p', 600_000);
  assert.equal(started.outcome, 'started');
  if (started.outcome !== 'started') return;
  const value = (n: number): string => String(n).repeat(8_000_000);
  for (let n = 1; n <= 3; n++)
    await runs.commit(started.fence, { ops: [opRecord('large', n, { value: value(n) })] });
  const small = (n: number) => opRecord('large', n, { value: 'x'.repeat(60_000) });
  const last = Number(steps);
  // So many at a time that no commit is refused for its size.
  for (let n = 4; n <= last; n += 40)
    await runs.commit(started.fence, {
      ops: Array.from({ length: Math.min(40, last + 1 - n) }, (_, i) => small(n + i)),
    });
  const { ops } = await runs.load('large');
  assert.equal(ops.length, last);
  for (const n of [1, 2, 3]) assert.ok(ops[n - 1]?.value === value(n));
  assert.equal(ops[last - 1]?.value, 'x'.repeat(60_000));
});

await check('a value that no server takes is the mistake of whoever gives it', async () => {
  assert.equal(await statusOf(database.write([insert(99, 'x'.repeat(5_000_001))])), 422);
  assert.deepEqual(await database.many('select id from t'), []);
});

await check('values come back as they were', async () => {
  const bytes = new Uint8Array([0, 255]);
  const [row] = await database.many(
    'select :t as t, :b as b, :i as i, :r as r, :y as y, :n as n, typeof(:i) as k',
    {
      t: 'ä',
      b: bytes,
      i: 2 ** 53 - 1,
      r: 0.5,
      y: true,
      n: undefined,
    },
  );
  const { b, ...rest } = row as { b: Uint8Array };
  assert.deepEqual([...b], [...bytes]);
  assert.deepEqual(rest, { t: 'ä', i: 2 ** 53 - 1, r: 0.5, y: 1, n: null, k: 'integer' });
});

await check('integers beyond 2^53 are refused', async () => {
  await assert.rejects(
    database.many('select 9007199254740993 as big'),
    /column "big" holds an integer beyond 2\^53/,
  );
});

await check('numbers that JSON has no form for are refused', async () => {
  await assert.rejects(database.many('select 9e999 as big'), /a column holds a number beyond 1\.8e308/);
});

await check('a write is whole or not at all', async () => {
  assert.equal(await statusOf(database.write([insert(1), insert(2), insert(1)])), 409);
  assert.deepEqual(await database.many('select id from t'), []);
  const [first, second] = await database.write([
    insert(1),
    { sql: 'insert into t (a) values (?) returning id', args: ['b'] },
  ]);
  assert.deepEqual([first?.affected, first?.lastInsertId, second?.rows], [1, 1, [[2]]]);
});

await check('what reads cannot write', async () => {
  await assert.rejects(database.many('delete from t'), /does not only read/);
});

await check('the answers to refusals are those of a file', async () => {
  assert.equal(await statusOf(database.write([insert(1)])), 409);
  assert.equal(await statusOf(database.write([insert(9, 'bad')])), 409);
  assert.equal(await statusOf(database.write([{ sql: 'insert into t (b) values (77)' }])), 409);
  assert.equal(await statusOf(database.write([insert(9, new Uint8Array([1]))])), 422);
  assert.match(String(await statusOf(database.many('select * from nowhere'))), /SqlFault/);
});

await check('a transaction commits, is undone, and is hidden while it is open', async () => {
  await database.transaction(async (transaction) => {
    await transaction.run('update t set a = ? where id = 1', ['changed']);
    assert.deepEqual(await transaction.many('select a from t where id = 1'), [{ a: 'changed' }]);
  });
  const undone = database.transaction(async (transaction) => {
    await transaction.run('delete from t');
    throw new Error('changed my mind');
  });
  await assert.rejects(undone, /changed my mind/);
  assert.deepEqual(await database.many('select a from t where id = 1'), [{ a: 'changed' }]);
});

await check('a transaction ends at its deadline', async () => {
  const slow = database.transaction(async (transaction) => {
    await transaction.run('delete from t');
    await sleep(600);
  });
  assert.equal(await statusOf(slow), 503);
  assert.equal((await database.many('select id from t')).length, 2);
});

await check('statements are checked without running', async () => {
  assert.equal((await database.check('delete from t')).ok, true);
  assert.deepEqual(await database.check('select * from nowhere').then(({ ok }) => ok), false);
  assert.equal((await database.many('select id from t')).length, 2);
});

await check('slow statements are logged without values', async () => {
  await database.many('select ? as a', ['hunter2']);
  assert.ok(lines.some((line) => line.includes('a slow statement') && line.includes('select ? as a')));
  assert.ok(!lines.join().includes('hunter2'));
});

await check('tables are made once, by whoever comes first', async () => {
  const others = await Promise.all(Array.from({ length: 3 }, () => openDatabase(url)));
  await Promise.all(others.map((other: SqlDatabase) => other.close()));
});

await check('a server that is away is a problem at boot', async () => {
  await assert.rejects(openDatabase(nobody), /its server cannot be reached/);
});

await database.close();
await check('a closed database answers 503', async () => {
  assert.equal(await statusOf(database.many('select 1')), 503);
});
