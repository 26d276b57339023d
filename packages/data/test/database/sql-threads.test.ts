import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { verifies } from '@waymark/contract/testing';
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
const open = (given = setup(), processors = 2) => ThreadWriter.open(given, () => undefined, processors);
const tables = parseSql('select count(*) from sqlite_schema');
/** How many of so many answers are there before the event loop goes on. */
async function countAtOnce(writer: ThreadWriter, asked: number): Promise<number> {
  let atOnce = 0;
  for (let i = 0; i < asked; i++) {
    let isThere = false;
    const answer = countTables(writer).then(() => {
      isThere = true;
    });
    // Whatever is known is handed on behind this.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    if (isThere) atOnce++;
    await answer;
  }
  return atOnce;
}

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

  it('have the only processor there is until they have answered, within a millisecond', async () => {
    verifies('sql.sole-processor');
    const writer = await open(setup(), 1);
    // A machine with much else to do takes longer now and then.
    await expect.poll(() => countAtOnce(writer, 10)).toBeGreaterThan(0);
    const others = await open(setup(), 2);
    expect(await countAtOnce(others, 10)).toBe(0);
    await Promise.all([writer.close(), others.close()]);
  });

  it('keep the event loop from nothing for longer, where there is one processor', async () => {
    verifies('sql.sole-processor');
    const writer = await open(setup(), 1);
    const long = parseSql(
      'with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000) select max(i) from n',
    );
    await countAtOnce(writer, 3);
    for (let i = 0; i < 3; i++) {
      let turns = 0;
      let next = setImmediate(function turn() {
        turns++;
        next = setImmediate(turn);
      });
      await writer.read(long);
      clearImmediate(next);
      expect(turns).toBeGreaterThan(3);
    }
    // What is short again is there at once again.
    await countTables(writer);
    await expect.poll(() => countAtOnce(writer, 10)).toBeGreaterThan(0);
    await writer.close();
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
    await idle.worker.terminate();
    await (await open()).close();
    expect(begun).toHaveLength(1);
  });
});
