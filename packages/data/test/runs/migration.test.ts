import { describe, expect, it } from 'vitest';
import { Connection } from '../../src/database/driver/connection.ts';
import { openDatabase } from '../../src/index.ts';
import { migrations } from '../../src/stores/migrations.ts';
import { testDatabase, testFolder } from '../open.ts';
import { storesOfRuns } from './stores-of-runs.ts';

/** A file as the first release left it, with a row in each of its tables. */
function firstRelease(path: string, version = 1): void {
  const connection = new Connection(path, 'PRAGMA journal_mode = WAL');
  for (const sql of migrations[0] ?? []) connection.exec(sql);
  connection.exec(`create table svc__schema (version integer not null) strict;
    insert into svc__schema values (${version});
    insert into svc__audit (id, kind, record) values ('1', 'k', '{"id":"1","kind":"k","at_ms":1}');
    insert into svc__spend values (1, 0, 'desk', 'm', 'p', 1, 2, 3, 4, 5, 0);
    insert into svc__outbox (id, due_ms, delivery) values ('d', 0, '{"id":"d","url":"u","body":1}');
    insert into svc__lease values ('k', 'h', 1, 5)`);
  connection.close();
}

describe('the tables of runs', () => {
  it('come to a file of the first release, which keeps what it has', async () => {
    const path = `${testFolder()}/old.db`;
    firstRelease(path);
    const database = await testDatabase(`sqlite://${path}`);
    const { runs, usage, outbox } = storesOfRuns(database);
    expect(await runs.list({ limit: 1 })).toEqual([]);
    expect(await usage.totals('caller')).toMatchObject([{ key: 'desk', calls: 1, costMicros: 5 }]);
    // What names no endpoint cannot be sent.
    expect(await outbox.lines()).toEqual([]);
    expect(await database.many('select id, kind from svc__audit')).toEqual([{ id: '1', kind: 'k' }]);
    expect(await database.many('select holder from svc__lease')).toEqual([{ holder: 'h' }]);
    expect(await database.many('select version from svc__schema')).toEqual([{ version: migrations.length }]);
  });

  it('know who forked or retried what an earlier release has begun', async () => {
    const path = `${testFolder()}/earlier.db`;
    const earlier = migrations.findIndex((step) => step.some((sql) => sql.includes('column movers')));
    const connection = new Connection(path, 'PRAGMA journal_mode = WAL');
    for (const sql of migrations.slice(0, earlier).flat()) connection.exec(sql);
    connection.exec(`create table svc__schema (version integer not null) strict;
      insert into svc__schema values (${earlier})`);
    for (const id of ['r1', 'f1', 'f2', 'r2'])
      connection.exec(`insert into svc__run (id, root_id, status, epoch, kind, name, depth, principal_root, created_ms,
        principal, spec, input) values ('${id}', '${id}', 'waiting', 1, 'flow', 'f', 0, 'ann', 1, '{}', '{}', 'null')`);
    for (const [n, event] of [
      { kind: 'run_retried', run_id: 'r1', by: 'bo' },
      { kind: 'run_forked', run_id: 'f1', from: 'r1', at: 1, by: 'cy' },
      { kind: 'run_forked', run_id: 'f2', from: 'f1', at: 1, by: 'bo' },
      { kind: 'run_retried', run_id: 'gone', by: 'di' },
      { kind: 'run_started', run_id: 'r2', by: 'di' },
    ].entries())
      connection.exec(`insert into svc__audit (id, kind, run_id, record)
        values ('${n}', '${event.kind}', '${event.run_id}', '${JSON.stringify(event)}')`);
    connection.close();
    const database = await testDatabase(`sqlite://${path}`);
    const rows = await database.many(
      `select r.id || ' ' || value as moved from svc__run r, json_each(movers) order by 1`,
    );
    expect(rows.map(({ moved }) => moved)).toEqual(['f1 bo', 'f1 cy', 'f2 bo', 'f2 cy', 'r1 bo']);
  });

  it('are not touched in a file of a newer release', async () => {
    const path = `${testFolder()}/new.db`;
    firstRelease(path, migrations.length + 1);
    await expect(openDatabase(`sqlite://${path}`)).rejects.toThrow('this release knows');
  });
});
