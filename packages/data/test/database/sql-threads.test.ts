import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sqlThreads } from '../../src/database/driver/sql-threads.ts';
import { ThreadWriter } from '../../src/database/driver/thread-writer.ts';
import { parseSql } from '../../src/database/sql-text.ts';
import { testFolder } from '../open.ts';

/** Threads begun since. */
function countThreads(): readonly Worker[] {
  const begun: Worker[] = [];
  const note = (message: unknown): void => {
    begun.push((message as { readonly worker: Worker }).worker); // what node says of a new one
  };
  subscribe('worker_threads', note);
  onTestFinished(() => void unsubscribe('worker_threads', note));
  return begun;
}

const setup = () => ({ path: join(testFolder(), 'a.db'), setup: '', mode: 'rwc', slowMs: 1_000 }) as const;
const open = (given = setup()) => ThreadWriter.open(given, () => undefined);
const tables = parseSql('select count(*) from sqlite_schema');
const countTables = async (writer: ThreadWriter) => (await writer.read(tables)).rows;

describe('the threads of databases', () => {
  it('are used again, each time with nothing but the file that is opened', async () => {
    const begun = countThreads();
    const first = await open();
    await first.begin();
    await first.runScript([parseSql('create table a (b)'), parseSql('create temp table c (d)')]);
    await first.commit();
    expect(await countTables(first)).toEqual([[1]]);
    await first.close();
    const second = await open();
    const temporary = parseSql('select count(*) from sqlite_temp_schema');
    expect(await countTables(second)).toEqual([[0]]);
    expect((await second.read(temporary)).rows).toEqual([[0]]);
    await second.close();
    // One may be left of another test.
    expect(begun.length).toBeLessThanOrEqual(1);
  });

  it('are one for each file that is open, and one is kept for the next', async () => {
    const begun = countThreads();
    const writers = await Promise.all([open(), open(), open()]);
    expect(begun.length).toBeGreaterThanOrEqual(2);
    await Promise.all(writers.map((writer) => writer.close()));
    expect(begun.filter(({ threadId }) => threadId !== -1).length).toBeLessThanOrEqual(1);
    const before = begun.length;
    await (await open()).close();
    expect(begun).toHaveLength(before);
  });

  it('are given back once, however often one is closed', async () => {
    const writer = await open();
    await Promise.all([writer.close(), writer.close()]);
    const [one, other] = [await open(), await open()];
    expect([await countTables(one), await countTables(other)]).toEqual([[[0]], [[0]]]);
    await Promise.all([one.close(), other.close()]);
  });

  it('are not kept for good', async () => {
    const begun = countThreads();
    const writers = [await open(), await open()];
    await Promise.all(writers.map((writer) => writer.close()));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await (await open()).close();
    const before = begun.length;
    vi.advanceTimersByTime(5_000);
    await (await open()).close();
    expect(begun).toHaveLength(before + 1);
  });

  it('are used again after a file that cannot be opened, and begun anew after one that died idle', async () => {
    await expect(open({ ...setup(), path: testFolder() })).rejects.toMatchObject({
      code: expect.stringMatching(/^SQLITE_CANTOPEN/) as string,
    });
    const begun = countThreads();
    await (await open()).close();
    expect(begun).toHaveLength(0);
    const idle = sqlThreads.take();
    await sqlThreads.giveBack(idle);
    await idle.terminate();
    await (await open()).close();
    expect(begun).toHaveLength(1);
  });
});
