import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/index.ts';
import { testDatabase, testFolder } from '../open.ts';
import { outputOf, spawnScript } from '../processes/spawn.ts';

describe('the driver', () => {
  it('is the one copy that the remote client has: a second one would drop our locks', () => {
    const ours = createRequire(import.meta.url);
    const theirs = createRequire(ours.resolve('@libsql/client'));
    expect(realpathSync(theirs.resolve('libsql'))).toBe(realpathSync(ours.resolve('libsql')));
  });

  it('keeps its locks while the same file is opened and closed again in this process', async () => {
    const file = join(testFolder(), 'twice.db');
    const database = await testDatabase(`sqlite://${file}`, { transactionMs: 30_000 });
    const outcome = await database.transaction(async (transaction) => {
      await transaction.run('create table t (a)');
      await (await openDatabase(`sqlite://${file}`)).close();
      return (await outputOf(spawnScript('try-lock.ts', file))).text;
    });
    expect(outcome).toBe('SQLITE_BUSY\n');
    expect((await outputOf(spawnScript('try-lock.ts', file))).text).toBe('locked\n');
  });
});
