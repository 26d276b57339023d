import { createClient } from '@libsql/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RemoteDriver } from '../../src/database/driver/remote-driver.ts';
import { isBehind, migrate } from '../../src/database/migrate.ts';
import { SqlDatabase } from '../../src/database/sql-database.ts';
import { migrations } from '../../src/stores/migrations.ts';
import { testFolder } from '../open.ts';

/** The client of a server over a file of its own, and the statements that it took the time of. */
async function farDatabase() {
  const observed: string[] = [];
  const client = createClient({ url: `file:${testFolder()}/far.db`, intMode: 'bigint' });
  const driver = new RemoteDriver(client, {
    ...{ maxWaiting: 10, transactionMs: 60_000, requestMs: 60_000 },
    onStatement: ({ sql }) => observed.push(sql),
  });
  const database = new SqlDatabase({ kind: 'remote', log: () => undefined, connect: async () => driver });
  await database.open();
  onTestFinished(() => database.close());
  return { database, observed };
}

describe('RemoteDriver', () => {
  it('makes all of our tables in one request', async () => {
    const { database, observed } = await farDatabase();
    expect(await isBehind(database, migrations.length)).toBe(true);
    observed.length = 0;
    await database.transaction((transaction) => migrate(transaction, migrations));
    expect(observed).toHaveLength(2);
    expect(await isBehind(database, migrations.length)).toBe(false);
  });

  it('undoes a transaction when one of several statements fails', async () => {
    const { database } = await farDatabase();
    const failing = database.transaction(async (transaction) => {
      await transaction.runAll([]);
      await transaction.runAll(['create table a (x)', 'insert into nowhere values (1)']);
    });
    await expect(failing).rejects.toThrow('SQLITE_ERROR');
    expect(await database.many('select name from sqlite_schema')).toEqual([]);
  });
});
