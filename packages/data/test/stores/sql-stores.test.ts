import type { Insight } from '@waymark/contract/hub';
import type { Spend } from '@waymark/contract/models';
import type { AuditRecord, Delivery, Evidence, Stores } from '@waymark/contract/stores';
import {
  auditStoreCases,
  insightStoreCases,
  leasesCases,
  outboxCases,
  usageStoreCases,
} from '@waymark/contract/testing';
import { getTableColumns } from 'drizzle-orm';
import { getTableConfig } from 'drizzle-orm/sqlite-core';
import { describe, expect, it } from 'vitest';
import { Connection } from '../../src/database/driver/connection.ts';
import { type SqlStoresOptions, sqlStores } from '../../src/stores/index.ts';
import { migrations } from '../../src/stores/migrations.ts';
import * as tables from '../../src/stores/tables.ts';
import { fileDatabase, testDatabase, testFolder } from '../open.ts';

type Make = (options?: SqlStoresOptions) => Promise<Stores>;
const inMemory: Make = async (options) => sqlStores(await testDatabase(), options);
const inFile: Make = async (options) => sqlStores(await fileDatabase({ synchronous: 'normal' }), options);
/** As the cases of outboxes want it. */
const small = { keep: 5, keepPerEndpoint: 3, keepDelivered: 2 };

describe.each([
  ['in memory', inMemory],
  ['in a file', inFile],
])('sqlStores %s', (_, stores) => {
  it.each(auditStoreCases)('audit $name', async ({ run }) => {
    await expect(run((await stores()).audit)).resolves.toBeUndefined();
  });
  it.each(insightStoreCases)('insights $name', async ({ run }) => {
    await expect(run(await stores())).resolves.toBeUndefined();
  });
  it.each(leasesCases)('leases $name', async ({ run }) => {
    await expect(run((await stores()).leases)).resolves.toBeUndefined();
  });
  it.each(outboxCases)('outbox $name', async ({ run }) => {
    await expect(run((await stores({ outbox: small })).outbox)).resolves.toBeUndefined();
  });
  it.each(usageStoreCases)('usage $name', async ({ run }) => {
    await expect(run((await stores()).usage)).resolves.toBeUndefined();
  });
});

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
const record = (n: number): AuditRecord => ({ kind: 'insight', id: String(n).padStart(6, '0'), at_ms: n });
const delivery = (n: number): Delivery => ({ id: `d${n}`, endpoint: 'watcher:yard', body: n });
const spend = (n: number): Spend & { caller: string; atMs: number } => ({
  model: 'm',
  provider: 'p',
  inputTokens: 1,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costMicros: 0,
  estimated: false,
  caller: String(n).padStart(6, '0'),
  atMs: n,
});
const insight = (n: number, device = 'door'): Insight => ({
  type: 'insight',
  watcher: 'w',
  device,
  agent: 'guard',
  seq: n,
  status: 'completed',
  output: '',
  error: null,
  run_id: `r${n}`,
  tokens: 0,
  cost_micros: 0,
  at_ms: n,
});
const evidence = (size: number): Evidence => ({
  mediaType: 'image/png',
  bytes: Buffer.alloc(size),
  token: 't',
});

describe('what sqlStores keep', () => {
  it.each([
    [2, [1, 0]],
    [3, [2, 1, 0]],
    [4, [3, 2, 1]],
  ])('is the newest 3 of %i audit records', async (count, kept) => {
    const { audit } = sqlStores(await testDatabase(), { audit: { keep: 3 } });
    for (const n of numbers(count)) await audit.append([record(n)]);
    expect((await audit.list({ limit: 10 })).map(({ at_ms }) => at_ms)).toEqual(kept);
  });

  it('is the newest 3 audit records also when batches are appended again', async () => {
    const { audit } = sqlStores(await testDatabase(), { audit: { keep: 3 } });
    for (const n of numbers(5)) await audit.append([record(n), record(n + 1)]);
    expect((await audit.list({ limit: 10 })).map(({ at_ms }) => at_ms)).toEqual([5, 4, 3]);
  });

  it.each([
    [2, ['000000', '000001']],
    [3, ['000000', '000001', '000002']],
    [4, ['000001', '000002', '000003']],
  ])('is the newest 3 of %i rows of the ledger', async (count, kept) => {
    const { usage } = sqlStores(await testDatabase(), { usage: { keep: 3 } });
    for (const n of numbers(count)) await usage.append([spend(n)]);
    expect((await usage.totals('caller')).map(({ key }) => key)).toEqual(kept);
  });

  it.each([
    [2, ['d0', 'd1']],
    [3, ['d0', 'd1', 'd2']],
    [4, ['d1', 'd2', 'd3']],
  ])('is the newest 3 of %i deliveries', async (count, kept) => {
    const { outbox } = sqlStores(await testDatabase(), { outbox: { keep: 3 } });
    for (const n of numbers(count)) await outbox.add(delivery(n), 0);
    expect((await outbox.kept('watcher:yard', 10)).map(({ id }) => id).reverse()).toEqual(kept);
  });

  it('is 1,000 deliveries of an endpoint unless told, and 100 that were delivered', async () => {
    const database = await testDatabase();
    const { outbox } = sqlStores(database);
    await database.write([
      {
        sql: `with recursive c(n) as (select 1 union all select n + 1 from c where n < 1100)
          insert into svc__outbox (id, endpoint, added_ms, since_ms, due_ms, delivery)
          select 'x' || n, 'watcher:yard', 0, 0, 0, '{}' from c`,
      },
      { sql: "update svc__outbox set state = 'delivered' where n > 1000" },
    ]);
    await outbox.add(delivery(1), 0);
    expect(await outbox.lines()).toMatchObject([{ waiting: 1_000, dropped: 1 }]);
    const attempt = { state: 'delivered', atMs: 1, dueMs: 1, status: 200, error: null } as const;
    await outbox.settle(delivery(1), attempt, { failures: 0, pausedUntilMs: null, stopped: false });
    expect(await outbox.kept('watcher:yard', 5_000)).toHaveLength(1_099);
  });

  it.each([
    [2, [0, 1]],
    [3, [0, 1, 2]],
    [4, [1, 2, 3]],
  ])('is the newest 3 of %i insights of a device', async (count, kept) => {
    const { insights } = sqlStores(await testDatabase(), { insights: { keepPerDevice: 3 } });
    await insights.publish(insight(9, 'yard'));
    for (const n of numbers(count)) await insights.publish(insight(n));
    expect((await insights.recent('door', 10)).map(({ seq }) => seq)).toEqual(kept);
    expect(await insights.recent('yard', 10)).toHaveLength(1);
  });

  it.each([
    [{ bytes: [4, 5] }, ['r0', 'r1']],
    [{ bytes: [5, 5] }, ['r0', 'r1']],
    [{ bytes: [5, 6] }, ['r1']],
    [{ bytes: [6, 10] }, ['r1']],
    [{ bytes: [6, 11] }, ['r0']],
    [{ bytes: [6, 5, 5] }, ['r1', 'r2']],
  ])('is 10 bytes of evidence of $bytes', async ({ bytes }, kept) => {
    const { insights } = sqlStores(await testDatabase(), { insights: { evidenceBytesPerDevice: 10 } });
    for (const [n, size] of bytes.entries()) await insights.publish(insight(n), { evidence: evidence(size) });
    expect([...(await insights.withEvidence('door'))].sort()).toEqual(kept);
    expect(await insights.recent('door', 10)).toHaveLength(bytes.length);
  });

  it('is 32 insights of a device unless told', async () => {
    const { insights } = sqlStores(await testDatabase());
    for (const n of numbers(33)) await insights.publish(insight(n));
    expect((await insights.recent('door', 100)).map(({ seq }) => seq)).toEqual(numbers(33).slice(1));
  });

  it('is 100,000 audit records, as many rows of the ledger and 10,000 deliveries unless told', async () => {
    const database = await testDatabase();
    const { audit, usage, outbox } = sqlStores(database);
    const many = (sql: string): Promise<unknown> => database.write([{ sql }]);
    const count = (limit: number): string =>
      `with recursive c(n) as (select 1 union all select n + 1 from c where n < ${limit})`;
    await many(
      `${count(100_000)} insert into svc__audit (id, kind, record) select printf('%07d', n), 'k', '{}' from c`,
    );
    await many(
      `${count(100_000)} insert into svc__spend select n, 0, 'c', 'm', 'p', 0, 0, 0, 0, 0, 0 from c`,
    );
    await many(
      `${count(10_000)} insert into svc__outbox (id, endpoint, added_ms, since_ms, due_ms, delivery)
        select 'x' || n, 'e' || n % 10, 0, 0, 0, '{}' from c`,
    );
    await audit.append([{ ...record(0), id: '9' }]);
    await usage.append([spend(1)]);
    await outbox.add(delivery(1), 0);
    const rows = (table: string, low: string) =>
      database.many(`select count(*) as n, min(${low}) as low from ${table}`);
    expect(await rows('svc__audit', 'id')).toEqual([{ n: 100_000, low: '0000002' }]);
    expect(await rows('svc__spend', 'n')).toEqual([{ n: 100_000, low: 2 }]);
    expect(await rows('svc__outbox', 'n')).toMatchObject([{ n: 10_000 }]);
  });

  it('is a lease of one of two whose clocks are hours apart, where the database says the time', async () => {
    const hourMs = 3_600_000;
    const { leases } = sqlStores(await testDatabase(), { leases: { clock: 'database' } });
    const first = await leases.acquire('outbox', 'a', 60_000, 0);
    for (const nowMs of [-hourMs, 0, 5 * hourMs]) {
      expect(await leases.acquire('outbox', 'b', 60_000, nowMs)).toBe(undefined);
      expect(await leases.acquire('outbox', 'a', 60_000, nowMs)).toEqual(first);
    }
    await leases.release('outbox', 'a');
    expect(await leases.acquire('outbox', 'b', 0, 0)).toEqual({ fence: expect.any(Number) });
    expect(await leases.acquire('outbox', 'a', 60_000, -hourMs)).toEqual({ fence: expect.any(Number) });
    const taken = [];
    for (const nowMs of [0, 5 * hourMs, -hourMs]) taken.push(await leases.take('runs', 2, hourMs, nowMs));
    expect(taken).toEqual([true, true, false]);
    expect(await leases.used('runs', hourMs, 9 * hourMs)).toBe(2);
  });

  it('is no lease and no use whose time is over', async () => {
    const database = await testDatabase();
    const { leases } = sqlStores(database);
    for (const n of numbers(20)) {
      await leases.acquire(`k${n}`, 'a', 1_000, 0);
      await leases.take(`k${n}`, 1, 1_000, 0);
    }
    await leases.acquire('late', 'a', 1_000, 1_000);
    await leases.take('late', 1, 1_000, 1_000);
    expect(await database.many('select key from svc__lease union all select key from svc__use')).toEqual([
      { key: 'late' },
      { key: 'late' },
    ]);
  });
});

describe('an insight with what goes along', () => {
  const all = { deliveries: [delivery(1), delivery(2)], evidence: evidence(5) };

  it.each(['svc__outbox', 'svc__evidence', 'svc__insight'])(
    'is stored whole or not at all: %s',
    async (table) => {
      const database = await testDatabase();
      const { insights, outbox } = sqlStores(database);
      await database.write([
        { sql: `create trigger broken after insert on ${table} begin select raise(abort, 'broken'); end` },
      ]);
      await expect(insights.publish(insight(1), all)).rejects.toThrow();
      expect(await insights.recent('door', 10)).toEqual([]);
      expect(await insights.evidence('door', 'r1')).toBeUndefined();
      expect(await outbox.kept('watcher:yard', 10)).toEqual([]);
      await database.write([{ sql: 'drop trigger broken' }]);
      expect(await insights.publish(insight(1), all)).toBe(true);
      expect(await outbox.kept('watcher:yard', 10)).toHaveLength(2);
    },
  );

  it('is published by one of two processes', async () => {
    const url = `sqlite://${testFolder()}/shared.db`;
    const [a, b] = [sqlStores(await testDatabase(url)), sqlStores(await testDatabase(url))];
    for (const n of numbers(20)) {
      const published = await Promise.all([a, b].map(({ insights }) => insights.publish(insight(n), all)));
      expect([...published].sort()).toEqual([false, true]);
    }
    expect(await b.insights.recent('door', 100)).toEqual(numbers(20).map((n) => insight(n)));
  });
});

describe('sqlStores over a restart', () => {
  it('keep their state, leases and ceilings included', async () => {
    const { openDatabase } = await import('../../src/index.ts');
    const url = `sqlite://${testFolder()}/state.db`;
    const before = await openDatabase(url);
    const old = sqlStores(before);
    await old.audit.append([record(1)]);
    await old.usage.append([spend(1)]);
    await old.insights.publish(insight(1), { deliveries: [delivery(1)], evidence: evidence(5) });
    const first = await old.leases.acquire('watch', 'a', 1_000, 0);
    await old.leases.take('watch', 1, 1_000, 0);
    await before.close();

    const stores = sqlStores(await testDatabase(url));
    expect(await stores.audit.list({ limit: 10 })).toEqual([record(1)]);
    expect(await stores.usage.totals('model')).toMatchObject([{ key: 'p/m', calls: 1 }]);
    expect(await stores.insights.recent('door', 10)).toEqual([insight(1)]);
    expect(await stores.insights.publish(insight(1))).toBe(false);
    expect(await stores.insights.evidence('door', 'r1')).toEqual({ ...evidence(5), atMs: 1 });
    expect(await stores.outbox.kept('watcher:yard', 10)).toMatchObject([delivery(1)]);
    expect(await stores.leases.acquire('watch', 'b', 1_000, 999)).toBeUndefined();
    expect(await stores.leases.take('watch', 1, 1_000, 999)).toBe(false);
    expect(await stores.leases.used('watch', 1_000, 999)).toBe(1);
    const second = await stores.leases.acquire('watch', 'b', 1_000, 1_000);
    expect(second!.fence).toBeGreaterThan(first!.fence);
  });
});

describe('the tables of sqlStores', () => {
  it('hold one insight of each run, the last, in a file of an earlier release too', async () => {
    const path = `${testFolder()}/old.db`;
    const connection = new Connection(path, 'PRAGMA journal_mode = WAL');
    const earlier = migrations.findIndex((step) => step.some((sql) => sql.includes('svc__evidence')));
    for (const sql of migrations.slice(0, earlier).flat()) connection.exec(sql);
    const { cost_micros: _, ...old } = insight(1);
    const rows = [
      ['r1', 'awaiting_approval'],
      ['r1', 'completed'],
      ['', 'failed'],
      ['', 'failed'],
    ].map(
      ([run, status]) =>
        `('door', '${run}', '${status}', '${JSON.stringify({ ...old, run_id: run, status })}')`,
    );
    connection.exec(`create table svc__schema (version integer not null) strict;
      insert into svc__schema values (${earlier});
      insert into svc__insight (device, run_id, status, insight) values ${rows.join()}`);
    connection.close();
    const { insights } = sqlStores(await testDatabase(`sqlite://${path}`));
    const kept = { ...old, cost_micros: null };
    const noRun = { ...kept, run_id: '', status: 'failed' };
    expect(await insights.recent('door', 9)).toEqual([kept, noRun, noRun]);
    expect(await insights.publish(insight(1))).toBe(false);
  });

  it('have the columns that the statements name', async () => {
    const database = await testDatabase();
    for (const table of Object.values(tables).filter((one) => !Array.isArray(one))) {
      const { name } = getTableConfig(table as typeof tables.auditTable);
      const declared = Object.values(getTableColumns(table as typeof tables.auditTable)).map((column) => ({
        name: column.name,
        type: column.getSQLType(),
        notnull: column.notNull && !(column.primary && column.name === 'n') ? 1 : 0,
      }));
      const made = await database.many(
        'select name, lower(type) as type, "notnull" from pragma_table_info(?)',
        [name],
      );
      expect(made, name).toEqual(declared);
    }
  });
});
