import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/index.ts';
import { testDatabase, testFolder } from '../open.ts';
import { outputOf, spawnScript } from '../processes/spawn.ts';

describe('the driver', () => {
  it('keeps its locks while the same file is opened and closed again in this process', async () => {
    const file = join(testFolder(), 'twice.db');
    const database = await testDatabase(`sqlite://${file}`, { transactionMs: 30_000 });
    const outcome = await database.transaction(async (transaction) => {
      await transaction.run('create table t (a)');
      await (await openDatabase(`sqlite://${file}`)).close();
      return (await outputOf(spawnScript('try-lock.ts', file))).text;
    });
    expect(outcome).toBe('database is locked\n');
    expect((await outputOf(spawnScript('try-lock.ts', file))).text).toBe('locked\n');
  });

  it("is node's own, also beside a server: a second SQLite in the process would drop our locks", async () => {
    verifies('sql.one-library');
    const script = spawnScript('loaded-drivers.ts', join(testFolder(), 'a.db'), 'http://127.0.0.1:1');
    expect(await outputOf(script)).toMatchObject({ text: '0\n', errors: '' });
  });
});
