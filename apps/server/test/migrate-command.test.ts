import { rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, vi } from 'vitest';
import { applicationText, inFolder, waymark } from './command-line.ts';
import { application, ask, serve } from './serve.ts';

const first = {
  'migrations/0001_items.sql': 'create table items (id integer primary key, name text not null);\n',
};
const files = { ...first, 'migrations/0002_price.sql': 'alter table items add column price integer;\n' };
const shop = applicationText('', `{ database: 'sqlite://shop.db' }`);

/** Runs a statement in the file, as another program would. */
function sql(text: string): readonly unknown[] {
  const database = new DatabaseSync('shop.db');
  try {
    return database.prepare(text).all();
  } finally {
    database.close();
  }
}

describe('waymark migrate', () => {
  it('lists what is pending, applies it with its time, and lists it as applied', async () => {
    verifies('migrate.command', 'migrate.status');
    inFolder({ 'application.ts': shop, ...files });
    vi.stubEnv('LOG_LEVEL', 'silent');
    const status = await waymark('migrate', '--status', '--strict');
    expect(status.code).toBe(1);
    expect(status.out).toMatch(
      /^MIGRATION +APPLIED +STATEMENTS\n0001_items +pending +1\n0002_price +pending +1\n$/,
    );
    const applied = await waymark('migrate');
    expect(applied).toMatchObject({ code: 0, err: '' });
    expect(applied.out).toMatch(
      /^applied {2}0001_items in \d+\.\d ms\napplied {2}0002_price in \d+\.\d ms\n2 applied, nothing is pending\n$/,
    );
    expect(await waymark('migrate')).toEqual({ code: 0, out: '0 applied, nothing is pending\n', err: '' });
    expect((await waymark('migrate', '--status', '--strict')).out).toMatch(/0002_price +\d{4}-\d\d-\d\dT/);
    expect(await waymark('migrate', '--dry-run', '--strict')).toMatchObject({
      code: 0,
      out: 'nothing is pending\n',
    });
    expect(JSON.parse((await waymark('migrate', '--status', '--json')).out)).toMatchObject({
      applied: [{ name: '0001_items' }, { name: '0002_price' }],
      pending: [],
    });
  });

  it('ends with 78 at the statement that fails, having stored what came before', async () => {
    verifies('migrate.command');
    inFolder({ 'application.ts': shop, ...first, 'migrations/0002_b.sql': '\nalter table itms add x;\n' });
    const { code, out, err } = await waymark('migrate');
    expect(code).toBe(78);
    expect(out).toMatch(/^applied {2}0001_items in \d+\.\d ms\n$/);
    expect(err).toContain(
      'migrations/0002_b.sql:2  migrations: no such table: itms; nothing of the migration was stored; mend it, and start again',
    );
    expect(err).toContain('waymark explain migration-failed');
    expect(sql('select name from svc__migration')).toEqual([{ name: '0001_items' }]);
  });

  it.each([
    ['no folder', shop, 'there is no folder of migrations; write'],
    [
      'no database',
      applicationText(''),
      "the application has no database; write database: 'sqlite://app.db'",
    ],
  ])('ends with 1 where there is %s', async (_, text, words) => {
    verifies('migrate.command');
    inFolder({ 'application.ts': text });
    const { code, err } = await waymark('migrate');
    expect(code).toBe(1);
    expect(err).toContain(words);
  });

  it('takes a folder that is named, and none where it is told so', async () => {
    verifies('migrate.folder');
    inFolder({
      'src/application.ts': applicationText('', `{ database: 'sqlite://shop.db', migrations: '../drizzle' }`),
      'drizzle/1_a.sql': 'create table a (x)',
      'none.ts': applicationText('', `{ database: 'sqlite://shop.db', migrations: false }`),
      'migrations/1_a.sql': 'create table b (x)',
    });
    expect((await waymark('migrate')).out).toContain('1_a in');
    expect(sql(`select name from sqlite_schema where name in ('a', 'b')`)).toEqual([{ name: 'a' }]);
    expect((await waymark('migrate', 'none.ts')).err).toContain('there is no folder of migrations');
  });
});

describe('waymark check', () => {
  it('tells what is pending, and makes no database for that', async () => {
    verifies('migrate.check');
    inFolder({ 'application.ts': shop, ...files });
    expect(await waymark('check')).toMatchObject({
      code: 0,
      out: expect.stringContaining('not applied yet: 0001_items, 0002_price\n') as unknown,
    });
    expect(() => sql('select 1 from items')).toThrow('no such table');
    await waymark('migrate');
    expect((await waymark('check')).out).not.toContain('not applied yet');
    writeFileSync('migrations/0001_items.sql', 'select 1');
    const { code, out } = await waymark('check');
    expect(code).toBe(78);
    expect(out).toContain(
      'migrations/0001_items.sql:1  problem: migrations: it was changed after it was applied',
    );
  });
});

describe('an application whose folder of migrations is gone', () => {
  const lost =
    '2 migrations up to 0002_price were applied to this database, and there is no folder of migrations';

  it.each([
    ['gone', () => rmSync('migrations', { recursive: true })],
    ['empty', () => ['0001_items', '0002_price'].map((name) => rmSync(`migrations/${name}.sql`))],
  ])('is told so by check, and does not start: %s', async (_, lose) => {
    verifies('migrate.order');
    inFolder({ 'application.ts': shop, 'seed.sql': 'select 1;', ...files });
    await waymark('migrate');
    lose();
    const checked = await waymark('check');
    expect(checked.code).toBe(78);
    expect(checked.out).toContain(`application.ts:2  problem: migrations: ${lost}`);
    for (const options of [{}, { migrate: 'command' }] as const) {
      const app = application({ database: 'sqlite://shop.db', ...options });
      await expect(app.listen()).rejects.toMatchObject({
        problems: [{ code: 'migration-missing', rule: lost, at: expect.stringContaining('.ts:') as unknown }],
      });
    }
    expect((await waymark('seed')).err).toContain(lost);
    expect(sql('select count(*) as n from svc__migration')).toEqual([{ n: 2 }]);
  });

  it('starts where it says that another one has it, and where nothing was applied', async () => {
    verifies('migrate.order');
    inFolder({ 'application.ts': shop, ...first });
    await waymark('migrate');
    rmSync('migrations', { recursive: true });
    const { url } = await serve(application({ database: 'sqlite://shop.db', migrations: false }));
    expect((await ask(`${url}/_svc/health`)).status).toBe(200);
    const other = await serve(application({ database: 'sqlite://other.db' }));
    expect((await ask(`${other.url}/_svc/health`)).status).toBe(200);
  });
});

describe('a server', () => {
  it('applies its migrations before it looks at the tables of resources', async () => {
    verifies('migrate.before-tables');
    const folder = inFolder(first);
    const app = application({ database: 'sqlite://shop.db', migrations: `${folder}/migrations` });
    app.resource('items', { name: 'string' }, { createTable: false });
    const { url } = await serve(app);
    expect((await ask(`${url}/items`, { body: { name: 'lamp' } })).status).toBe(201);
  });

  it('refuses to start before a command has applied them, where that is the way', async () => {
    verifies('migrate.pending');
    const folder = inFolder(first);
    const options = { migrations: `${folder}/migrations`, migrate: 'command' } as const;
    const app = application({ database: 'sqlite://shop.db', ...options });
    await expect(app.listen()).rejects.toMatchObject({
      problems: [
        { code: 'migration-pending', rule: '0001_items was not applied yet', fix: 'run: waymark migrate' },
      ],
    });
    await app.upkeep().withDatabase(async () => undefined);
    const { url } = await serve(app);
    expect((await ask(`${url}/_svc/health`)).status).toBe(200);
    // No command reaches what is in memory.
    await serve(application({ database: ':memory:', ...options }));
  });

  it('does not start where one fails, and lets go of the file', async () => {
    verifies('migrate.half-way');
    const folder = inFolder({ 'migrations/1_a.sql': 'create table a (x);\ninsert into b values (1);' });
    const app = application({ database: 'sqlite://shop.db', migrations: `${folder}/migrations` });
    await expect(app.listen()).rejects.toMatchObject({ problems: [{ code: 'migration-failed' }] });
    rmSync('shop.db-wal', { force: true });
    expect(sql(`select name from sqlite_schema where name = 'a'`)).toEqual([]);
    writeFileSync('migrations/1_a.sql', 'create table a (x)');
    await serve(app);
    expect(sql(`select name from sqlite_schema where name = 'a'`)).toEqual([{ name: 'a' }]);
  });
});

describe('waymark seed', () => {
  it('runs a function over migrated tables and those of resources, as often as it is asked to', async () => {
    verifies('seed.file');
    inFolder({
      'application.ts': applicationText(
        `application.resource('tags', { name: Type.String() });`,
        `{ database: 'sqlite://shop.db' }`,
      ),
      ...files,
      'seed.ts': `import type { SqlDatabase } from '@waymark/server';
export async function seed({ database }: { database: SqlDatabase }): Promise<void> {
  await database.write([{ sql: "insert into items values (1, 'lamp', 3) on conflict do nothing" }]);
  await database.write([{ sql: "insert into tags (id, name) values (1, 'new') on conflict do nothing" }]);
}
`,
    });
    for (const _ of [1, 2]) {
      const { code, out } = await waymark('seed');
      expect(code).toBe(0);
      expect(out).toMatch(/^ran seed\.ts in \d+ ms\n$/);
    }
    expect(sql('select items.name, tags.name as tag from items, tags')).toEqual([
      { name: 'lamp', tag: 'new' },
    ]);
  });

  it('runs SQL whole or not at all, and says where it fails', async () => {
    verifies('seed.file', 'seed.sql');
    inFolder({
      'application.ts': shop,
      ...files,
      'seed.sql': `insert into items (name) values ('lamp');\n\ninsert into items (name) values (null);\n`,
      'good.sql': `insert into items (name) values ('chair');`,
    });
    const failed = await waymark('seed');
    expect(failed).toMatchObject({
      code: 1,
      err: 'seed.sql:3  NOT NULL constraint failed: items.name; nothing of it was stored\n',
    });
    expect((await waymark('seed', '--from', 'good.sql')).code).toBe(0);
    expect(sql('select name from items')).toEqual([{ name: 'chair' }]);
  });

  it('is refused in production without --force, and in memory', async () => {
    verifies('seed.production');
    inFolder({
      'application.ts': shop,
      'memory.ts': applicationText('', `{ database: ':memory:' }`),
      'seed.sql': 'create table a (x)',
    });
    expect((await waymark('seed', 'memory.ts')).err).toContain('the database is in memory');
    vi.stubEnv('NODE_ENV', 'production');
    expect(await waymark('seed')).toMatchObject({
      code: 1,
      err: 'NODE_ENV is production, and seeds are mostly made up; --force runs them here, too\n',
    });
    expect((await waymark('seed', '--force')).code).toBe(0);
  });

  it.each([
    ['there is no file', {}, 1, 'there is none of seed.ts, seed.js, seed.sql beside the application'],
    [
      'it exports none',
      { 'seed.js': 'export const sead = 1;' },
      1,
      'seed.js exports no seed; write: export async function seed',
    ],
    [
      'it throws',
      { 'seed.js': `export const seed = () => { throw new Error('no lamps'); };` },
      1,
      'no lamps',
    ],
  ])('ends with 1 where %s', async (_, more, code, words) => {
    verifies('seed.file');
    inFolder({ 'application.ts': shop, ...more });
    const printed = await waymark('seed');
    expect(printed.code).toBe(code);
    expect(printed.err).toContain(words);
  });
});
