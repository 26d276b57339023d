import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DeclarationError } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/index.ts';
import { migrateDatabase, migrationState } from '../../src/upkeep/index.ts';
import { testFolder } from '../open.ts';

const breakpoint = '--> statement-breakpoint';

/** A folder of migrations, and a database in a file beside it. */
async function project(files: Readonly<Record<string, string>>) {
  const root = testFolder();
  const folder = join(root, 'migrations');
  mkdirSync(folder);
  const write = (more: Readonly<Record<string, string>>): void => {
    for (const [name, text] of Object.entries(more)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  };
  write(files);
  const database = await openDatabase(`sqlite://${join(root, 'app.db')}`);
  onTestFinished(() => database.close());
  return {
    ...{ folder, write, database },
    apply: () => migrateDatabase(database, { folder, now: () => 1_000 }),
    /** The problems that keep it from being applied. */
    refusal: async () => {
      const error: unknown = await migrateDatabase(database, { folder, now: () => 1_000 }).catch(
        (reason) => reason,
      );
      expect(error).toBeInstanceOf(DeclarationError);
      return (error as DeclarationError).problems.map(({ code, at, rule, fix }) => ({
        ...{ code, rule, fix },
        at: at?.replace(`${folder}/`, ''),
      }));
    },
    tables: async () =>
      (
        await database.many(
          `select name from sqlite_schema where type = 'table' and name not like 'svc\\_\\_%' escape '\\' and name not like 'sqlite%' order by name`,
        )
      ).map(({ name }) => name),
  };
}

/** The journal of drizzle-kit over such files. */
function journal(...tags: readonly string[]): Readonly<Record<string, string>> {
  const entries = tags.map((tag, idx) => ({
    idx,
    version: '6',
    when: 1_700_000_000_000 + idx,
    tag,
    breakpoints: true,
  }));
  return { 'meta/_journal.json': JSON.stringify({ version: '7', dialect: 'sqlite', entries }) };
}

describe('migrateDatabase', () => {
  it('applies numbered files in the order of their numbers, each once, and remembers them', async () => {
    verifies('migrate.numbered', 'migrate.record');
    const { apply, database, folder, write } = await project({
      '10_c.sql': `insert into b values (3);`,
      '2_b.sql': 'create table b (x); insert into b values (2)',
      '0001_a.sql': `create table a (x text); -- ; not the end\n/* ; */ insert into a values (';');`,
    });
    const done = await apply();
    expect(done.map(({ name, adopted }) => ({ name, adopted }))).toEqual([
      { name: '0001_a', adopted: false },
      { name: '2_b', adopted: false },
      { name: '10_c', adopted: false },
    ]);
    expect(await database.many('select x from b')).toEqual([{ x: 2 }, { x: 3 }]);
    expect(await apply()).toEqual([]);
    write({ '11_d.sql': 'drop table b' });
    expect(await migrationState(database, folder)).toMatchObject({
      applied: [
        { position: 0, name: '0001_a', sha256: expect.stringMatching(/^[0-9a-f]{64}$/), atMs: 1_000 },
        { name: '2_b' },
        { name: '10_c' },
      ],
      pending: [{ name: '11_d', statements: 1 }],
      problems: [],
    });
    expect((await apply()).map(({ name }) => name)).toEqual(['11_d']);
  });

  it('reads triggers, breakpoints on the same line, and line ends of Windows', async () => {
    const text = [
      'CREATE TABLE `a` (`x` integer, `label` text);',
      breakpoint,
      `CREATE TRIGGER \`t\` AFTER INSERT ON \`a\` BEGIN
  UPDATE a SET label = CASE WHEN new.x > 1 THEN 'many;' ELSE 'one' END;
  UPDATE a SET label = label || '!';
END;${breakpoint}`,
      'INSERT INTO `a` VALUES (2, NULL)',
    ].join('\r\n');
    const { apply, database, write } = await project({ ...journal('0000_first'), '0000_first.sql': text });
    await apply();
    expect(await database.many('select label from a')).toEqual([{ label: 'many;!' }]);
    // The same checkout with line ends of another machine.
    write({ '0000_first.sql': text.replaceAll('\r\n', '\n') });
    expect(await apply()).toEqual([]);
  });

  it('keeps texts as they are, names of tables of the service and line ends of Windows too', async () => {
    verifies('migrate.statements');
    const text = `create table a (x);\r\ninsert into a values ('one\r\ntwo'), ('svc__run'), ('/* -- '); -- svc__run`;
    const { apply, database } = await project({ '1_a.sql': text });
    await apply();
    expect(await database.many('select x from a')).toEqual([
      { x: 'one\r\ntwo' },
      { x: 'svc__run' },
      { x: '/* -- ' },
    ]);
  });

  it('reads a journal that begins with a byte order mark', async () => {
    verifies('migrate.order');
    const [[name, list] = ['', '']] = Object.entries(journal('0000_a'));
    const { apply } = await project({ [name]: `\uFEFF${list}`, '0000_a.sql': 'create table a (x)' });
    expect((await apply()).map((done) => done.name)).toEqual(['0000_a']);
  });

  it.each(["= 'OFF'", "('off')", '= 00', '= none'])(
    'keeps the rows of others with foreign_keys %s',
    async (off) => {
      const { apply, database } = await project({
        '1_a.sql': `create table a (id integer primary key); insert into a values (1);
        create table b (a integer references a (id) on delete cascade); insert into b values (1);`,
        '2_b.sql': `PRAGMA foreign_keys ${off}; create table c (id integer primary key); insert into c select id from a;
        drop table a; alter table c rename to a; PRAGMA foreign_keys = ON;`,
      });
      await apply();
      expect(await database.many('select a from b')).toEqual([{ a: 1 }]);
    },
  );

  it.each([
    ['a null character', Buffer.from('create table a (x); \0 nothing')],
    ['Latin-1', Buffer.from("create table a (x); insert into a values ('Z\u00fcrich')", 'latin1')],
  ])('refuses a file with %s', async (_, bytes) => {
    const { folder, refusal } = await project({});
    writeFileSync(join(folder, '1_a.sql'), bytes);
    expect(await refusal()).toMatchObject([{ code: 'migration-statement', at: '1_a.sql:1' }]);
  });

  it('finds the line of the last of very many statements at once', async () => {
    const { refusal } = await project({ '1_a.sql': `${'select 1;\n'.repeat(60_000)}begin;` });
    expect(await refusal()).toMatchObject([{ at: '1_a.sql:60001' }]);
  });

  it('makes a table anew that others refer to, and touches none of their rows', async () => {
    verifies('migrate.foreign-keys');
    const { apply, database, write } = await project({
      '1_tables.sql': `create table users (id integer primary key, name text);
        create table posts (id integer primary key, user integer references users (id) on delete cascade);
        insert into users values (1, 'Ada'); insert into posts values (7, 1);`,
    });
    await apply();
    write({
      '2_rebuild.sql': [
        'PRAGMA foreign_keys=OFF;',
        'CREATE TABLE `__new_users` (`id` integer PRIMARY KEY, `name` text NOT NULL);',
        'INSERT INTO `__new_users`("id", "name") SELECT "id", "name" FROM `users`;',
        'DROP TABLE `users`;',
        'ALTER TABLE `__new_users` RENAME TO `users`;',
        'PRAGMA foreign_keys=ON;',
      ].join(`${breakpoint}\n`),
    });
    await apply();
    expect(await database.many('select id, user from posts')).toEqual([{ id: 7, user: 1 }]);
    // Enforced again afterwards.
    await expect(database.write([{ sql: 'insert into posts values (8, 99)' }])).rejects.toThrow(
      'does not exist',
    );
  });

  it('undoes one that leaves rows behind which refer to none', async () => {
    verifies('migrate.foreign-keys');
    const { apply, database, refusal, write } = await project({
      '1_tables.sql': `create table users (id integer primary key);
        create table posts (id integer primary key, user integer references users (id));
        insert into users values (1); insert into posts values (7, 1);`,
    });
    await apply();
    write({ '2_lost.sql': 'PRAGMA foreign_keys=OFF;\nDELETE FROM users;\n' });
    expect(await refusal()).toEqual([
      {
        code: 'migration-failed',
        at: '2_lost.sql:2',
        rule: 'FOREIGN KEY constraint failed: 1 row of posts refer to rows of users that are not there; nothing of the migration was stored',
        fix: 'mend it, and start again',
      },
    ]);
    expect(await database.many('select id from users')).toEqual([{ id: 1 }]);
  });

  it('leaves nothing of one that fails half-way, says which statement, and applies it once it is mended', async () => {
    verifies('migrate.half-way');
    const files = {
      '1_a.sql': 'create table a (x)',
      '2_b.sql': 'create table b (x);\n\ninsert into nowhere values (1);',
    };
    const { apply, refusal, tables, write } = await project(files);
    expect(await refusal()).toEqual([
      {
        code: 'migration-failed',
        at: '2_b.sql:3',
        rule: 'no such table: nowhere; nothing of the migration was stored',
        fix: 'mend it, and start again',
      },
    ]);
    expect(await tables()).toEqual(['a']);
    write({ '2_b.sql': 'create table b (x)' });
    expect((await apply()).map(({ name }) => name)).toEqual(['2_b']);
    expect(await tables()).toEqual(['a', 'b']);
  });

  it('refuses a file that was changed after it was applied, and says how to accept it', async () => {
    verifies('migrate.changed');
    const { apply, database, refusal, write } = await project({ '1_a.sql': 'create table a (x)' });
    await apply();
    write({ '1_a.sql': 'create table a (x, y)', '2_b.sql': 'create table b (x)' });
    const [problem] = await refusal();
    expect(problem).toMatchObject({ code: 'migration-changed', at: '1_a.sql:1' });
    const [, sql = ''] = /run: (update svc__migration .*)$/.exec(problem?.fix ?? '') ?? [];
    await database.write([{ sql }]);
    expect((await apply()).map(({ name }) => name)).toEqual(['2_b']);
  });

  it('refuses files that are missing, renamed or come too late', async () => {
    verifies('migrate.order');
    const { apply, folder, refusal, write } = await project({
      '1_a.sql': 'create table a (x)',
      '3_c.sql': 'create table c (x)',
    });
    await apply();
    write({ '2_b.sql': 'create table b (x)' });
    expect(await refusal()).toMatchObject([{ code: 'migration-order', at: '2_b.sql:1' }]);
    renameSync(join(folder, '2_b.sql'), join(folder, '4_b.sql'));
    renameSync(join(folder, '3_c.sql'), join(folder, '5_c.sql'));
    expect(await refusal()).toMatchObject([
      { code: 'migration-missing', at: '5_c.sql:1', fix: 'name it 3_c.sql again' },
    ]);
    rmSync(join(folder, '5_c.sql'));
    expect(await refusal()).toMatchObject([
      { code: 'migration-missing', rule: '3_c was applied to this database, and there is no 3_c.sql' },
    ]);
  });

  it.each([
    [
      'two of one number',
      { '1_a.sql': 'select 1', '001_b.sql': 'select 1' },
      'its number is that of 001_b.sql',
    ],
    ['one without a number', { 'a.sql': 'select 1' }, 'its name begins with no number'],
    ['a journal with marks of a merge', { 'meta/_journal.json': '<<<<<<< HEAD' }, 'the journal is no JSON'],
    [
      'a journal of another database',
      { 'meta/_journal.json': '{"dialect":"postgresql"}' },
      'not sqlite or turso',
    ],
    [
      'a journal whose file is gone',
      journal('0000_a'),
      'the journal names 0000_a, and there is no 0000_a.sql',
    ],
    [
      'a file beside the journal',
      { ...journal(), '0000_b.sql': 'select 1' },
      '0000_b.sql is not in the journal',
    ],
  ])('refuses a folder with %s', async (_, files, rule) => {
    verifies('migrate.order');
    const { refusal } = await project(files);
    const problems = await refusal();
    expect(problems.map(({ code }) => code)).toEqual(['migration-folder']);
    expect(problems[0]?.rule).toContain(rule);
  });

  it.each<readonly [string, number, string]>([
    ['-- nothing yet', 1, 'it holds no statement'],
    ['select 1;\nBEGIN;', 2, 'BEGIN is no part of a migration'],
    ['select 1;\ncommit', 2, 'COMMIT is no part of a migration'],
    ['VACUUM', 1, 'VACUUM cannot be undone with a transaction'],
    [`attach 'b.db' as b`, 1, 'ATTACH cannot be undone'],
    ['PRAGMA journal_mode = DELETE', 1, 'PRAGMA journal_mode is no part of a migration'],
    ['insert into a values (?)', 1, 'it has a parameter'],
    ...[
      'drop table svc__run',
      `drop table 'svc__run'`,
      `drop table main . 'SVC__run'`,
      'drop table "svc__run"',
      'select "--", * from svc__run',
      'select `/*`, * from svc__run; -- */',
      'update [svc__run] set id = 1',
      'select [--] from svc__run',
    ].map((sql) => [sql, 1, 'it names a table of the service itself'] as const),
    ['select 1;\nselect 2; /* and so on\nselect 3;', 2, 'the comment that begins here has no end'],
    ['select 1;\n\n/*/', 3, 'the comment that begins here has no end'],
  ])('refuses %j before anything is applied', async (text, line, rule) => {
    verifies('migrate.statements');
    const { refusal, tables } = await project({ '1_a.sql': 'create table a (x)', '2_b.sql': text });
    const [problem] = await refusal();
    expect(problem).toMatchObject({ code: 'migration-statement', at: `2_b.sql:${line}` });
    expect(problem?.rule).toContain(rule);
    expect(await tables()).toEqual([]);
  });
});

describe('a database that drizzle has migrated', () => {
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  const first = 'CREATE TABLE `a` (`x` integer);';
  const files = {
    ...journal('0000_a', '0001_b'),
    '0000_a.sql': first,
    '0001_b.sql': 'CREATE TABLE `b` (`x` integer);',
  };
  const made = async (sha: string, when = 1_700_000_000_000) => {
    const one = await project(files);
    await one.database.write([
      {
        sql: 'create table __drizzle_migrations (id integer primary key, hash text not null, created_at numeric)',
      },
      { sql: 'insert into __drizzle_migrations (hash, created_at) values (?, ?)', args: [sha, when] },
      { sql: first },
    ]);
    return one;
  };

  it('goes on where its migrator stopped, and tells it', async () => {
    verifies('migrate.drizzle');
    const { apply, database } = await made(hash(first));
    expect((await apply()).map(({ name, adopted }) => [name, adopted])).toEqual([
      ['0000_a', true],
      ['0001_b', false],
    ]);
    expect(await database.many('select created_at from __drizzle_migrations order by id')).toEqual([
      { created_at: 1_700_000_000_000 },
      { created_at: 1_700_000_000_001 },
    ]);
    expect(await apply()).toEqual([]);
  });

  it('is refused when its migrator had another file', async () => {
    verifies('migrate.drizzle');
    const changed = await made(hash('CREATE TABLE a'));
    expect(await changed.refusal()).toMatchObject([{ code: 'migration-changed', at: '0000_a.sql:1' }]);
    const unknown = await made(hash(first), 1_600_000_000_000);
    expect(await unknown.refusal()).toMatchObject([{ code: 'migration-missing' }]);
    const gap = await made(hash(files['0001_b.sql']), 1_700_000_000_001);
    expect(await gap.refusal()).toMatchObject([{ code: 'migration-order', at: '0000_a.sql:1' }]);
  });
});

describe('a migration', () => {
  it('waits for who writes, and says so when that does not end', async () => {
    verifies('migrate.together');
    const { database, folder } = await project({ '1_a.sql': 'create table a (x)' });
    const other = new DatabaseSync(database.file ?? '');
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    const options = { folder, now: () => 1_000, waitMs: 1 };
    await expect(migrateDatabase(database, options)).rejects.toMatchObject({
      problems: [{ code: 'database-busy', fix: 'wait until it is done, or find and stop it' }],
    });
    const waiting = migrateDatabase(database, { ...options, waitMs: 60_000 });
    other.exec('COMMIT');
    expect(await waiting).toHaveLength(1);
  });

  it('is applied once by several that come at the same time', async () => {
    verifies('migrate.together');
    const { database, folder } = await project({ '1_a.sql': 'create table a (x); insert into a values (1)' });
    const second = await openDatabase(`sqlite://${database.file}`);
    onTestFinished(() => second.close());
    const done = await Promise.all(
      [database, second, database].map((one) => migrateDatabase(one, { folder, now: () => 1_000 })),
    );
    expect(done.flat()).toHaveLength(1);
    expect(await second.many('select x from a')).toEqual([{ x: 1 }]);
  });

  it('runs in memory, with foreign keys enforced afterwards', async () => {
    const { folder } = await project({
      '1_a.sql':
        'PRAGMA foreign_keys=OFF; create table a (x integer primary key); create table b (a references a)',
    });
    const memory = await openDatabase(':memory:');
    onTestFinished(() => memory.close());
    await migrateDatabase(memory, { folder, now: () => 1_000 });
    await expect(memory.write([{ sql: 'insert into b values (9)' }])).rejects.toThrow('does not exist');
  });
});
