import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Driver } from '../../../src/database/driver/driver.ts';
import { SqlFault } from '../../../src/database/sql-fault.ts';
import { DatabaseTroubles } from '../../../src/database/watch/database-troubles.ts';
import { DatabaseWatch } from '../../../src/database/watch/database-watch.ts';
import { LookThrough } from '../../../src/database/watch/look-through.ts';
import { openDatabase } from '../../../src/index.ts';
import { testFolder } from '../../open.ts';

const failedRead = new SqlFault('SQLITE_CORRUPT');

const codes = (troubles: DatabaseTroubles): readonly string[] => troubles.list.map(({ code }) => code);

/** A file with a table of some pages. */
async function storedFile(): Promise<string> {
  const file = join(testFolder(), 'a.db');
  const database = await openDatabase(`sqlite://${file}`);
  await database.write([{ sql: 'create table t (a text)' }]);
  for (let i = 0; i < 40; i++)
    await database.write([{ sql: 'insert into t values (hex(randomblob(1000)))' }]);
  await database.close();
  return file;
}

/** Watches a file that others use. */
function watched(file: string): DatabaseTroubles {
  const troubles = new DatabaseTroubles(file);
  const log = (): void => undefined;
  const lookThrough = new LookThrough({ path: file, withinMs: 30_000, troubles, log });
  const watch = new DatabaseWatch({ troubles, everyMs: 10, lookThrough });
  // It is asked for no more, as others write all the time.
  const driver = { kind: 'file', write: async () => [] } as unknown as Driver;
  watch.start(driver, file);
  onTestFinished(() => watch.stop());
  return troubles;
}

describe('DatabaseTroubles', () => {
  it.each(['SQLITE_CORRUPT', 'SQLITE_IOERR_READ', 'SQLITE_IOERR_SHORT_READ', 'SQLITE_IOERR_CORRUPTFS'])(
    'takes %s for a read that failed, until the file was looked through since',
    (code) => {
      verifies('sql.troubles');
      const troubles = new DatabaseTroubles('a.db');
      const before = troubles.failedReads;
      troubles.met(new SqlFault(code));
      expect(codes(troubles)).toEqual(['database-failing']);
      expect(troubles.list[0]?.message).toContain('I/O');
      // What is stored says nothing of what can be read.
      troubles.worked(true);
      troubles.readable(before);
      expect(codes(troubles)).toEqual(['database-failing']);
      troubles.readable(troubles.failedReads);
      expect(troubles.list).toEqual([]);
    },
  );

  it('does not doubt what is known to be damaged', () => {
    verifies('sql.damaged');
    const troubles = new DatabaseTroubles('a.db');
    troubles.met(failedRead);
    troubles.damaged();
    troubles.met(failedRead);
    expect(codes(troubles)).toEqual(['database-damaged']);
    troubles.readable(troubles.failedReads);
    expect(codes(troubles)).toEqual(['database-damaged']);
  });

  it('takes a failed read of a server for over when that answers', () => {
    const troubles = new DatabaseTroubles();
    troubles.met(failedRead);
    expect(codes(troubles)).toEqual(['database-failing']);
    troubles.worked(true);
    expect(troubles.list).toEqual([]);
  });
});

describe('a read that failed', () => {
  it('is over when all of the file can be read', async () => {
    verifies('sql.troubles');
    const troubles = watched(await storedFile());
    troubles.met(failedRead);
    expect(codes(troubles)).toEqual(['database-failing']);
    await expect.poll(() => troubles.list).toEqual([]);
  });

  it('turns out to be damage where there is some', async () => {
    verifies('sql.damaged');
    const file = await storedFile();
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, Buffer.alloc(4 * 4096, 0xa5), 0, undefined, 4096 * 30);
    closeSync(descriptor);
    const troubles = watched(file);
    troubles.met(failedRead);
    await expect.poll(() => codes(troubles)).toEqual(['database-damaged']);
  });

  it('turns out to be damage that keeps it from being looked for', async () => {
    verifies('sql.damaged');
    const file = await storedFile();
    const descriptor = openSync(file, 'r+');
    // What stands behind the header of the file is the table of all tables.
    writeSync(descriptor, Buffer.alloc(3_996, 0xa5), 0, undefined, 100);
    closeSync(descriptor);
    const troubles = watched(file);
    troubles.met(failedRead);
    await expect.poll(() => codes(troubles)).toEqual(['database-damaged']);
  });
});
