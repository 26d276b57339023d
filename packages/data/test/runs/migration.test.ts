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

  it('are not touched in a file of a newer release', async () => {
    const path = `${testFolder()}/new.db`;
    firstRelease(path, migrations.length + 1);
    await expect(openDatabase(`sqlite://${path}`)).rejects.toThrow('this release knows');
  });
});
