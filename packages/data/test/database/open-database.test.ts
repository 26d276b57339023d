import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DeclarationError } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { checkFile } from '../../src/database/check-file.ts';
import { openDatabase } from '../../src/index.ts';
import { migrations } from '../../src/stores/migrations.ts';
import { testDatabase, testFolder } from '../open.ts';
import { outputOf, spawnScript } from '../processes/spawn.ts';

/** Code, rule and fix of the problem that keeps a database from being opened. */
async function problemOf(url: string, options = {}): Promise<unknown> {
  const error: unknown = await openDatabase(url, options).then(
    (database) => database.close(),
    (reason: unknown) => reason,
  );
  if (!(error instanceof DeclarationError)) return error;
  return error.problems[0];
}

const digest = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

describe('checkFile', () => {
  const limitBytes = 32 * 1024 * 1024;

  it.each([
    [-1, false],
    [0, false],
    [1, true],
  ])('leaves a file of 32 MiB and %i bytes to be looked through later: %j', async (more, isLarge) => {
    verifies('sql.damaged');
    const file = join(testFolder(), 'a.db');
    await (await openDatabase(`sqlite://${file}`)).close();
    // What is behind the last page is not looked at.
    truncateSync(file, limitBytes + more);
    expect(checkFile(file, migrations.length)).toBe(isLarge);
  });

  it('leaves nothing of a file that is not there yet', () => {
    expect(checkFile(join(testFolder(), 'a.db'), migrations.length)).toBe(false);
  });
});

describe('openDatabase', () => {
  it('takes every form of URL for a file and for memory', async () => {
    verifies('sql.url.forms');
    const folder = testFolder();
    const forms = [`sqlite://${folder}/a.db`, `file:${folder}/b%20b.db`, `file://${folder}/c.db`];
    for (const url of forms) await testDatabase(url);
    expect(['a.db', 'b b.db', 'c.db'].map((name) => existsSync(join(folder, name)))).toEqual([
      true,
      true,
      true,
    ]);
    for (const url of [':memory:', 'file::memory:', 'sqlite://:memory:'])
      expect((await testDatabase(url)).kind).toBe('memory');
  });

  it('takes a path from the working directory', async () => {
    const { parseDatabaseUrl } = await import('../../src/database/database-address.ts');
    const file = { kind: 'file', path: join(process.cwd(), 'data/app.db') };
    expect(parseDatabaseUrl('sqlite://data/app.db')).toEqual(file);
    expect(parseDatabaseUrl('file:data/app.db')).toEqual(file);
  });

  it.each([
    'libsql://db.example.org',
    'https://db.example.org',
    'http://127.0.0.1:8080',
    'ws://127.0.0.1:8080',
  ])('takes %s for a database behind a server', async (url) => {
    const { parseDatabaseUrl } = await import('../../src/database/database-address.ts');
    expect(parseDatabaseUrl(url)).toMatchObject({ kind: 'remote', url });
  });

  it.each([
    ['postgres://localhost/app', 'its URL has an unknown form'],
    ['app.db', 'its URL has an unknown form'],
    ['', 'its URL has an unknown form'],
    ['sqlite://', 'its URL names no file'],
    ['file:app.db?mode=ro', 'a file URL takes no query'],
    ['libsql://name:hunter2@db.example.org', 'its URL holds a credential'],
    ['libsql://db.example.org?authToken=hunter2', 'its URL holds a credential'],
  ])('refuses %j and says what to write', async (url, rule) => {
    const problem = await problemOf(url);
    expect(problem).toMatchObject({
      code: 'database-url',
      declaration: 'database',
      rule,
      fix: expect.any(String),
    });
    expect(JSON.stringify(problem)).not.toContain('hunter2');
  });

  it('refuses a missing folder and makes none', async () => {
    const folder = join(testFolder(), 'not', 'there');
    expect(await problemOf(`sqlite://${folder}/a.db`)).toMatchObject({
      code: 'database-folder',
      rule: `the folder ${folder} does not exist`,
      fix: `create it: mkdir -p ${folder}`,
    });
    expect(existsSync(folder)).toBe(false);
  });

  it('refuses a folder', async () => {
    expect(await problemOf(`sqlite://${testFolder()}`)).toMatchObject({ code: 'database-not-a-database' });
  });

  it('refuses a file that is no database, and leaves it as it was', async () => {
    verifies('sql.refused-untouched');
    const file = join(testFolder(), 'notes.txt');
    writeFileSync(file, 'Milk, bread, and whatever else there is. '.repeat(200));
    const before = digest(file);
    expect(await problemOf(`sqlite://${file}`)).toMatchObject({ code: 'database-not-a-database' });
    expect(digest(file)).toBe(before);
  });

  it('refuses a file that was cut off, and leaves it as it was', async () => {
    const file = await closedFile();
    truncateSync(file, 8_192);
    const before = digest(file);
    expect(await problemOf(`sqlite://${file}`)).toMatchObject({ code: 'database-damaged' });
    expect(digest(file)).toBe(before);
  });

  it('refuses a file with a broken page, and leaves it as it was', async () => {
    const file = await closedFile();
    const content = readFileSync(file);
    content.fill(0xff, 5 * 4_096, 6 * 4_096);
    writeFileSync(file, content);
    const before = digest(file);
    expect(await problemOf(`sqlite://${file}`)).toMatchObject({ code: 'database-damaged' });
    expect(digest(file)).toBe(before);
  });

  it.each([
    ['a newer release wrote', `update svc__schema set version = ${migrations.length + 1}`, 'database-newer'],
    ['has lost its version', 'delete from svc__schema', 'database-damaged'],
    ['has two versions', 'insert into svc__schema values (1)', 'database-damaged'],
    ['has a negative version', 'update svc__schema set version = -1', 'database-damaged'],
  ])('refuses a file that %s, and leaves it as it was', async (_, sql, code) => {
    verifies('sql.refused-untouched');
    const file = await closedFile(sql);
    const before = digest(file);
    expect(await problemOf(`sqlite://${file}`)).toMatchObject({ code });
    expect(digest(file)).toBe(before);
  });

  it('leaves a newer file as it was also when its log was not put back yet', async () => {
    const folder = testFolder();
    const database = await testDatabase(`sqlite://${folder}/live.db`);
    await database.write([{ sql: 'update svc__schema set version = 1000' }]);
    const copies = ['', '-wal'].map((end) => [`${folder}/live.db${end}`, `${folder}/copy.db${end}`] as const);
    for (const [from, to] of copies) copyFileSync(from, to);
    const before = copies.map(([, to]) => digest(to));
    expect(await problemOf(`sqlite://${folder}/copy.db`)).toMatchObject({ code: 'database-newer' });
    expect(copies.map(([, to]) => digest(to))).toEqual(before);
  });

  it('refuses a server that nobody answers for', async () => {
    expect(await problemOf('http://127.0.0.1:1')).toMatchObject({ code: 'database-unreachable' });
  });

  it('opens a database that exists while another process has it locked', async () => {
    const file = await closedFile();
    const holder = spawnScript('hold-lock.ts', file);
    const ended = outputOf(holder);
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    const database = await testDatabase(`sqlite://${file}`, { deadlineMs: 200 });
    expect(await database.many('select version from svc__schema')).toEqual([{ version: migrations.length }]);
    holder.stdin.end();
    await ended;
  });

  it('makes no table when one of them cannot be made', async () => {
    const url = `sqlite://${testFolder()}/taken.db`;
    const file = url.slice('sqlite://'.length);
    const first = await openDatabase(url);
    const tables = await first.many(
      "select name from sqlite_schema where type = 'table' and name like 'svc\\_\\_%' escape '\\'",
    );
    for (const { name } of tables) await first.write([{ sql: `drop table ${String(name)}` }]);
    await first.write([{ sql: 'create table svc__spend (mine)' }]);
    await first.close();
    await expect(openDatabase(url)).rejects.toThrow();
    const left = new DatabaseSync(file);
    expect(
      left.prepare("select count(*) as n from sqlite_schema where name like 'svc\\_\\_%' escape '\\'").get(),
    ).toEqual({ n: 1 });
    left.close();
  });

  it('leaves all of a file in one piece when it is closed', async () => {
    const file = await closedFile();
    const database = await openDatabase(`sqlite://${file}`);
    await database.write([{ sql: 'create table t (a)' }, { sql: 'insert into t values (7)' }]);
    await database.close();
    copyFileSync(file, `${file}.copy`);
    expect(await (await testDatabase(`sqlite://${file}.copy`)).many('select a from t')).toEqual([{ a: 7 }]);
  });

  /** A database that was closed, after one statement by somebody else. */
  async function closedFile(sql = 'select 1'): Promise<string> {
    const file = join(testFolder(), 'closed.db');
    const database = await openDatabase(`sqlite://${file}`);
    await database.close();
    const other = new DatabaseSync(file);
    other.exec(sql);
    other.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    other.close();
    return file;
  }
});
