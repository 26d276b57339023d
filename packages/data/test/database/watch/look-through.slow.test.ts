import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { verifies } from '@waymark/contract/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { DatabaseTroubles } from '../../../src/database/watch/database-troubles.ts';
import { LookThrough } from '../../../src/database/watch/look-through.ts';
import { openDatabase, type SqlDatabase } from '../../../src/index.ts';
import { testDatabase, testFolder } from '../../open.ts';

const mebibyte = 1024 * 1024;
/** What is looked through before it is opened. */
const limitBytes = 32 * mebibyte;

const made = mkdtempSync(join(tmpdir(), 'waymark-made-'));
afterAll(() => rmSync(made, { recursive: true, force: true }));

/** A database of an earlier start with a table of so many bytes, and some: a copy for each test. */
async function fileOf(bytes: number): Promise<string> {
  const source = join(made, `${bytes}.db`);
  if (!existsSync(source)) await make(source, bytes);
  const file = join(testFolder(), 'a.db');
  copyFileSync(source, file);
  return file;
}

async function make(file: string, bytes: number): Promise<void> {
  await (await openDatabase(`sqlite://${file}`)).close();
  const database = new DatabaseSync(file);
  database.exec(`pragma journal_mode = wal; create table "it's" (id integer primary key, a text);
    create table t (id integer primary key, a text); create index t_a on t (a);
    with recursive c (n) as (select 1 union all select n + 1 from c where n < ${Math.ceil(bytes / 2_100)})
    insert into t select n, hex(randomblob(500)) from c`);
  database.close();
}

/** Writes over pages in the middle of a file that nobody has open. */
function damage(file: string): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(8 * 4096, 0xa5), 0, undefined, 4096 * 500);
  closeSync(descriptor);
}

async function openLogged(file: string): Promise<{ database: SqlDatabase; messages: string[] }> {
  const messages: string[] = [];
  const log = (_: string, message: string): void => void messages.push(message);
  return { database: await testDatabase(`sqlite://${file}`, { log }), messages };
}

describe('a large file', () => {
  it('that is damaged is opened, and found out soon after', async () => {
    verifies('sql.damaged');
    const file = await fileOf(limitBytes);
    expect(statSync(file).size).toBeGreaterThan(limitBytes);
    damage(file);
    const { database, messages } = await openLogged(file);
    await expect.poll(() => database.troubles()).toMatchObject([{ code: 'database-damaged' }]);
    expect(messages).toContainEqual('the database file is damaged');
    // It does not pass with a write.
    await database.write([{ sql: `insert into "it's" (a) values ('x')` }]);
    expect(database.troubles()).toMatchObject([{ code: 'database-damaged' }]);
  });

  it('that is well is looked through without a trouble, while it is written', async () => {
    const { database, messages } = await openLogged(await fileOf(limitBytes));
    for (let i = 0; !messages.includes('the database file was looked through'); i++)
      await database.write([{ sql: `insert into "it's" (a) values (?)`, args: [i] }]);
    expect(database.troubles()).toEqual([]);
  });

  it('is closed while it is looked through, and put back in one piece', async () => {
    const file = await fileOf(limitBytes);
    const database = await openDatabase(`sqlite://${file}`);
    await database.write([{ sql: `insert into "it's" (a) values ('x')` }]);
    await database.close();
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  });
});

describe('a damaged file', () => {
  it('of up to 32 MiB is refused', async () => {
    verifies('sql.damaged', 'sql.refused-untouched');
    const file = await fileOf(limitBytes / 3);
    expect(statSync(file).size).toBeLessThanOrEqual(limitBytes);
    damage(file);
    await expect(openDatabase(`sqlite://${file}`)).rejects.toThrow('the file is damaged');
  });

  it('is told as soon as a statement meets it', async () => {
    verifies('sql.damaged');
    const file = await fileOf(limitBytes);
    damage(file);
    const { database } = await openLogged(file);
    await expect(database.many('select count(a), max(length(a)) from t not indexed')).rejects.toMatchObject({
      ...{ status: 503, message: 'the database cannot be read' },
      ...{ headers: { 'retry-after': '1' }, members: { code: 'disk_failing' } },
    });
    expect(database.troubles()).not.toEqual([]);
    await expect.poll(() => database.troubles()).toMatchObject([{ code: 'database-damaged' }]);
  });
});

describe('LookThrough', () => {
  it.each([
    [0, ['the database file is too large to be looked through'], []],
    [30_000, ['the database file is damaged'], ['database-damaged']],
  ])('begins no table after its time: %i ms', async (withinMs, expected, codes) => {
    const file = await fileOf(limitBytes / 3);
    damage(file);
    const messages: string[] = [];
    const log = (_: string, message: string): void => void messages.push(message);
    const troubles = new DatabaseTroubles();
    const lookThrough = new LookThrough({ path: file, withinMs, troubles, log });
    lookThrough.start();
    await expect.poll(() => messages).not.toEqual([]);
    await lookThrough.stop();
    expect(messages).toEqual(expected);
    expect(troubles.list.map(({ code }) => code)).toEqual(codes);
  });
});
