import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { openDatabase, type SqlDatabase } from '../../src/index.ts';
import { testDatabase, testFolder } from '../open.ts';
import { outputOf, spawnScript } from '../processes/spawn.ts';

const create = { sql: 'create table t (id integer primary key, a text unique, b integer check (b < 100))' };
const insert = (a: unknown, b = 1) => ({ sql: 'insert into t (a, b) values (?, ?)', args: [a, b] });
const countRows = async (database: SqlDatabase) =>
  (await database.many('select count(*) as n from t'))[0]?.['n'];
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

/** A file that another process has locked; `release` gives it back. */
async function lockedFile() {
  const file = join(testFolder(), 'locked.db');
  const setup = await openDatabase(`sqlite://${file}`);
  await setup.write([create]);
  await setup.close();
  const holder = spawnScript('hold-lock.ts', file);
  const ended = outputOf(holder);
  await once(holder.stdout, 'data');
  return {
    url: `sqlite://${file}`,
    release: async () => {
      holder.stdin.end();
      await ended;
    },
  };
}

describe('a database that another process has locked', () => {
  it('leaves the event loop free, is read, and takes writes when the lock is gone', async () => {
    verifies('sql.busy.retry', 'sql.busy.begin-only');
    const { url, release } = await lockedFile();
    const database = await testDatabase(url, { deadlineMs: 30_000 });
    let longestMs = 0;
    const lockedMs = performance.now();
    let lastMs = lockedMs;
    const ticking = setInterval(() => {
      const nowMs = performance.now();
      longestMs = Math.max(longestMs, nowMs - lastMs);
      lastMs = nowMs;
    }, 5);
    const writes = numbers(100).map((n) => database.write([insert(`v${n}`)]));
    while (performance.now() - lockedMs < 4_000) {
      expect(await countRows(database)).toBe(0);
      await sleep(5);
    }
    const heldMs = performance.now() - lockedMs;
    await release();
    await Promise.all(writes);
    clearInterval(ticking);
    expect(await countRows(database)).toBe(100);
    // Whoever waits for the lock with all of the process stands still for as long as it is held.
    expect(longestMs).toBeLessThan(heldMs / 2);
  });

  it('answers writes 503 after their deadline, stores none of them, and takes later ones', async () => {
    verifies('sql.busy.retry');
    const { url, release } = await lockedFile();
    const database = await testDatabase(url, { deadlineMs: 300 });
    const startMs = performance.now();
    const outcomes = await Promise.allSettled(numbers(50).map((n) => database.write([insert(`v${n}`)])));
    expect(performance.now() - startMs).toBeGreaterThan(290);
    for (const one of outcomes) {
      expect(one).toMatchObject({
        status: 'rejected',
        reason: { status: 503, message: 'the database is busy', headers: { 'retry-after': '1' } },
      });
    }
    await release();
    await database.write([insert('late')]);
    expect(await database.many('select a from t')).toEqual([{ a: 'late' }]);
  });

  it.skipIf(!existsSync('/proc/self/fd'))('costs no file descriptors while it is tried again', async () => {
    const { url, release } = await lockedFile();
    const database = await testDatabase(url, { deadlineMs: 300 });
    const { readdirSync } = await import('node:fs');
    const before = readdirSync('/proc/self/fd').length;
    for (let round = 0; round < 3; round++)
      await Promise.allSettled(numbers(500).map((n) => database.write([insert(`v${n}`)])));
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before + 2);
    await release();
  });
});

describe('transactions that are open for long, one after another', () => {
  it('let another process write between two of them', async () => {
    verifies('sql.wait.sum');
    const url = `sqlite://${join(testFolder(), 'held.db')}`;
    const holder = await testDatabase(url, { transactionMs: 1_100 });
    await holder.write([create]);
    // Another queue, and another connection: a process like any other, as far as locks are concerned.
    const other = await testDatabase(url, { deadlineMs: 30_000 });
    const end = new AbortController();
    let begun = 0;
    const hang = (): Promise<unknown> => {
      begun++;
      return new Promise(() => undefined);
    };
    const hanging = Promise.allSettled(numbers(6).map(() => holder.transaction(hang, end.signal)));
    await expect.poll(() => begun).toBe(1);
    await other.write([insert('between')]);
    expect(begun).toBeLessThanOrEqual(2);
    end.abort(new Error('enough'));
    await hanging;
  });
});
