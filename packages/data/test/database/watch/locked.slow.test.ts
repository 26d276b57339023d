import { once } from 'node:events';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testDatabase, testFolder } from '../../open.ts';
import { outputOf, spawnScript } from '../../processes/spawn.ts';

/** Three times what the service promises of its health. */
const timeout = 3 * 5_000;

describe('a database that another process keeps locked', () => {
  it('says so within 5 s, also when nobody writes, and within 5 s that it is over', async () => {
    verifies('sql.troubles');
    const file = join(testFolder(), 'a.db');
    const database = await testDatabase(`sqlite://${file}`);
    const codes = () => database.troubles().map(({ code }) => code);
    const holder = spawnScript('hold-lock.ts', file, '60000');
    onTestFinished(() => void holder.kill('SIGKILL'));
    await once(holder.stdout, 'data');
    await expect.poll(codes, { timeout }).toEqual(['database-locked']);
    holder.stdin.end();
    await expect.poll(codes, { timeout }).toEqual([]);
  });

  it('says so of writes that wait before they are refused', async () => {
    verifies('sql.troubles');
    const file = join(testFolder(), 'a.db');
    const database = await testDatabase(`sqlite://${file}`, { probeMs: 60_000 });
    await database.write([{ sql: 'create table t (a text)' }]);
    const holder = spawnScript('hold-lock.ts', file, '60000');
    onTestFinished(() => void holder.kill('SIGKILL'));
    await once(holder.stdout, 'data');
    const write = database.write([{ sql: `insert into t values ('waits')` }]);
    await expect.poll(() => database.troubles(), { timeout }).toMatchObject([{ code: 'database-locked' }]);
    holder.stdin.end();
    await write;
    expect(database.troubles()).toEqual([]);
  });
});

describe('a process that has done all it had to do', () => {
  it('is not kept by the watch of a database that it left open', async () => {
    const { code, errors } = await outputOf(
      spawnScript('open-and-leave.ts', `sqlite://${testFolder()}/a.db`),
    );
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  });
});
