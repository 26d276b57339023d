import { spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { Failure } from '../src/cli/output/failure.ts';
import { failWith } from '../src/cli/upkeep/database-file.ts';
import { applicationText, inFolder, waymark } from './command-line.ts';
import { application, ask, secret } from './serve.ts';

const text = applicationText(
  `application.resource('items', { name: Type.String() });`,
  `{ database: 'sqlite://shop.db' }`,
).replaceAll("'desk'", "'shop'");

describe('what keeps a command from a file', () => {
  it.each([
    ['EACCES', 'this user may not write in /a; let it, or name another place'],
    ['EROFS', 'nobody may write in /a; name another place'],
    ['ENOSPC', 'there is no room in /a; make some, or name another place'],
    ['EMFILE', 'nothing can be made in /a (EMFILE); name another place'],
  ])('is said with its fix: %s', (code, message) => {
    const error = Object.assign(new Error(code), { code, syscall: 'mkdir', path: '/a/b' });
    expect(failWith(error, (text) => new Failure(text))).toEqual(new Failure(message));
  });
});

/** The shop over the file of the command, running. */
const start = () =>
  application({ database: 'sqlite://shop.db' }).resource('items', { name: 'string' }).listen();

const add = (url: string, name: string): Promise<unknown> => ask(`${url}/items`, { body: { name } });

function names(file: string): readonly unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database
      .prepare('select name from items order by id')
      .all()
      .map(({ name }) => name);
  } finally {
    database.close();
  }
}

describe('waymark backup and restore', () => {
  it('copy what a running server has stored, and put it back once it is stopped', async () => {
    verifies('backup.file', 'backup.online', 'restore.kept');
    inFolder({ 'application.ts': text });
    const running = await start();
    await add(running.url, 'lamp');
    const made = await waymark('backup', '--out', 'copies/a.db');
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toMatch(
      /^wrote copies\/a\.db: \d+ bytes, \d+ pages, copied in \d+ ms, looked through in \d+ ms\n$/,
    );
    // One file, for its owner alone.
    expect(readdirSync('copies')).toEqual(['a.db']);
    expect(statSync('copies/a.db').mode & 0o777).toBe(0o600);
    await add(running.url, 'chair');
    const refused = await waymark('restore', 'copies/a.db');
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(
      /^nothing was restored: a server, or another program, has .*shop\.db open; stop it first\n$/,
    );
    await running.close();
    const restored = await waymark('restore', 'copies/a.db');
    expect(restored).toMatchObject({ code: 0, err: '' });
    const [, before = ''] =
      /what was there is (shop\.db\.before-\d{8}T\d{6}Z); delete/.exec(restored.out) ?? [];
    expect(names('shop.db')).toEqual(['lamp']);
    expect(names(before)).toEqual(['lamp', 'chair']);
    expect(statSync('shop.db').mode & 0o777).toBe(0o600);
    expect(readdirSync('.').filter((name) => name.startsWith('.waymark-'))).toEqual([]);
    const again = await start();
    expect((await ask(`${again.url}/items`)).body).toEqual([{ id: 1, name: 'lamp' }]);
    await again.close();
  });

  it('replace no file without --force, and never the database', async () => {
    verifies('backup.file');
    inFolder({ 'application.ts': text });
    expect((await waymark('backup')).err).toMatch(
      /^no backup was made: there is nothing in .*shop\.db yet\n$/,
    );
    await (await start()).close();
    writeFileSync('a.db', 'mine');
    expect(await waymark('backup', '--out', 'a.db')).toMatchObject({
      code: 1,
      err: 'no backup was made: a.db is there already; --force replaces it\n',
    });
    expect((await waymark('backup', '--out', 'a.db', '--force', '--json')).code).toBe(0);
    expect(names('a.db')).toEqual([]);
    expect((await waymark('backup', '--out', 'shop.db', '--force')).err).toContain('is the database itself');
    expect((await waymark('backup')).out).toMatch(/^wrote shop-\d{8}T\d{6}Z\.db: /);
  });

  it('replace nothing that belongs to a database, by whatever name it is reached', async () => {
    verifies('backup.file');
    inFolder({ 'application.ts': text, 'folder/note': '', 'shop.db-holder-old': '' });
    const running = await start();
    await add(running.url, 'lamp');
    symlinkSync('shop.db-wal', 'link.db');
    linkSync('shop.db-shm', 'twin.db');
    linkSync('shop.db', 'same.db');
    symlinkSync('..', 'folder/up');
    const belongs = 'belongs to the database';
    for (const [out, words] of [
      ['shop.db-wal', belongs],
      ['shop.db-shm', belongs],
      ['shop.db-journal', belongs],
      ['shop.db-holder-old', belongs],
      ['shop.db-holder-new', belongs],
      ['folder/../shop.db-wal', belongs],
      ['folder/up/shop.db-wal', belongs],
      ['link.db', belongs],
      ['twin.db', belongs],
      ['same.db', 'is the database itself'],
      ['folder/up/shop.db', 'is the database itself'],
    ] as const) {
      const { code, err } = await waymark('backup', '--out', out, '--force');
      expect([out, code, err]).toEqual([
        ...[out, 1],
        expect.stringMatching(`^no backup was made: ${out} ${words}`),
      ]);
    }
    // Those of another application, at work or left without its end.
    const other = new DatabaseSync('other.db');
    other.exec('pragma journal_mode = wal; create table a (x)');
    const { err } = await waymark('backup', '--out', 'other.db', '--force');
    expect(err).toContain(
      'other.db is a database that somebody may be at work on, since other.db-wal is beside',
    );
    expect((await waymark('backup', '--out', 'other.db-wal', '--force')).err).toContain(belongs);
    other.close();
    expect((await waymark('backup', '--out', 'other.db', '--force')).code).toBe(0);
    await add(running.url, 'chair');
    await running.close();
    expect(names('shop.db')).toEqual(['lamp', 'chair']);
  });

  it('restore work as it stood, say how much goes on, and let in no session from before', async () => {
    verifies('restore.told', 'restore.signed-out');
    inFolder({ 'application.ts': text });
    const shop = () =>
      application({ database: 'sqlite://shop.db' })
        .apiKey('SHOP_KEY', 'clerk', { scopes: ['pay'] })
        .resource('items', { name: 'string' })
        .post('/pay', { tool: true, toolName: 'pay', approval: 'required', scopes: ['pay'] }, () => 'paid')
        .behaviour('order', { tools: ['pay'], scopes: ['pay'] }, (ctx) => ctx.call('pay'))
        .get('/who', {}, (_, { user }) => user.id)
        .listen();
    const first = await shop();
    const key = { 'x-api-key': secret };
    const signedIn = async (url: string): Promise<string> => {
      const { headers } = await fetch(`${url}/_svc/session`, { method: 'POST', headers: key });
      return String(headers.get('set-cookie')).split(';')[0] ?? '';
    };
    const who = async (url: string, cookie: string): Promise<unknown> =>
      (await fetch(`${url}/who`, { headers: { cookie, origin: url } })).json();
    const [ended, open] = [await signedIn(first.url), await signedIn(first.url)];
    for (let i = 0; i < 2; i++) await ask(`${first.url}/behaviours/order`, { headers: key, body: {} });
    expect((await waymark('backup', '--out', 'a.db')).code).toBe(0);
    const headers = { cookie: ended, origin: first.url };
    expect((await fetch(`${first.url}/_svc/session`, { method: 'DELETE', headers })).status).toBe(204);
    await first.close();
    const { out } = await waymark('restore', 'a.db');
    expect(out).toContain(
      'the next start goes on with 2 runs, which may do again what they have done since; 2 questions to a human open\n',
    );
    const again = await shop();
    expect([await who(again.url, ended), await who(again.url, open)]).toEqual(['anonymous', 'anonymous']);
    expect(await who(again.url, await signedIn(again.url))).toBe('clerk');
    await again.close();
  });

  it('restore what says nothing of its application with --force alone, and never the database over itself', async () => {
    verifies('restore.checked');
    inFolder({ 'application.ts': text });
    await (await start()).close();
    copyFileSync('shop.db', 'copied.db');
    linkSync('shop.db', 'same.db');
    expect(await waymark('restore', 'copied.db')).toMatchObject({
      code: 1,
      err: 'nothing was restored: copied.db does not say of which application it is: waymark backup did not write it; --force takes it\n',
    });
    expect((await waymark('restore', 'same.db', '--force')).err).toContain('same.db is the database itself');
    expect((await waymark('restore', 'copied.db', '--force')).code).toBe(0);
  });

  it('say in a line what keeps a copy from its place', async () => {
    inFolder({ 'application.ts': text, note: '' });
    await (await start()).close();
    for (const [out, words] of [
      ['note/a.db', 'note is no folder; name another place'],
      ['/proc/nowhere/a.db', 'nothing can be made in /proc (ENOENT); name another place'],
    ] as const) {
      const { code, err } = await waymark('backup', '--out', out);
      expect([code, err]).toEqual([1, expect.stringContaining(`no backup was made: ${words}`)]);
      expect(err.trim()).not.toMatch(/\n|E[A-Z]{4,}:/);
    }
  });

  it('refuse what is no sound copy of this application, and change nothing', async () => {
    verifies('restore.checked');
    inFolder({
      'application.ts': text,
      'other.ts': text.replaceAll("'shop'", "'bar'"),
      'text.db': 'a text of more than a hundred bytes '.repeat(40),
      'empty.db': '',
    });
    await (await start()).close();
    await waymark('backup', '--out', 'bar.db');
    await waymark('backup', 'other.ts', '--out', 'bar.db', '--force');
    await waymark('backup', '--out', 'damaged.db');
    const foreign = new DatabaseSync('foreign.db');
    foreign.exec('create table items (x)');
    foreign.close();
    const bytes = new Uint8Array(4096).fill(7);
    const size = statSync('damaged.db').size;
    const file = openSync('damaged.db', 'r+');
    for (let at = 4096; at < size; at += 4096) writeSync(file, bytes, 0, bytes.length, at);
    closeSync(file);
    for (const [name, words] of [
      ['nowhere.db', 'there is no file nowhere.db'],
      ['text.db', 'text.db is no database'],
      ['empty.db', 'empty.db is empty'],
      ['damaged.db', 'damaged.db is damaged; take an older one'],
      ['bar.db', 'bar.db is of the application "bar", not of "shop"; --force takes it'],
      ['foreign.db', 'foreign.db holds no tables of the service'],
      ['shop.db', 'shop.db is the database itself'],
    ] as const) {
      const { code, err } = await waymark('restore', name);
      expect([name, code]).toEqual([name, 1]);
      expect(err).toContain(`nothing was restored: ${words}`);
    }
    expect(readdirSync('.').filter((name) => name.includes('before'))).toEqual([]);
    expect((await waymark('restore', 'bar.db', '--force')).code).toBe(0);
  });

  it('refuse a copy whose migrations are not these, and tell which are pending', async () => {
    verifies('restore.checked');
    inFolder({ 'application.ts': text, 'migrations/1_a.sql': 'create table a (x)' });
    await waymark('migrate');
    await waymark('backup', '--out', 'a.db');
    writeFileSync('migrations/2_b.sql', 'create table b (x)');
    expect((await waymark('restore', 'a.db')).out).toContain('not applied yet: 2_b\n');
    rmSync('migrations/1_a.sql');
    const { code, err } = await waymark('restore', 'a.db');
    expect(code).toBe(78);
    expect(err).toContain('1_a was applied to this database, and there is no 1_a.sql');
    expect((await waymark('restore', 'a.db', '--force')).code).toBe(0);
  });

  it('take in what a log beside the database, or beside the copy, still holds', async () => {
    verifies('restore.kept');
    inFolder({ 'application.ts': text });
    await (await start()).close();
    await waymark('backup', '--out', 'a.db');
    // As a process leaves it that was killed: rows in the log alone.
    for (const [file, name] of [
      ['shop.db', 'of the log'],
      ['a.db', 'of the copy'],
    ])
      spawnSync(process.execPath, [
        '-e',
        `const d = new (require('node:sqlite').DatabaseSync)('${file}');
        d.exec("pragma journal_mode = wal; insert into items (name) values ('${name}')");
        process.kill(process.pid, 'SIGKILL')`,
      ]);
    expect(statSync('shop.db-wal').size).toBeGreaterThan(0);
    const { out } = await waymark('restore', 'a.db');
    const [, before = ''] = /what was there is (\S+);/.exec(out) ?? [];
    expect(
      readdirSync('.')
        .filter((name) => name.startsWith('shop.db'))
        .toSorted(),
    ).toEqual(['shop.db', before]);
    expect(names('shop.db')).toEqual(['of the copy']);
    expect(names(before)).toEqual(['of the log']);
  });

  it('restore where a link leads, and leave the link', async () => {
    inFolder({ 'application.ts': text, 'volume/note': '' });
    symlinkSync('volume/shop.db', 'shop.db');
    const running = await start();
    await add(running.url, 'lamp');
    expect(await waymark('backup', '--out', 'a.db')).toMatchObject({ code: 0 });
    await add(running.url, 'chair');
    await running.close();
    expect(await waymark('restore', 'a.db')).toMatchObject({ code: 0, err: '' });
    expect(lstatSync('shop.db').isSymbolicLink()).toBe(true);
    expect(names('volume/shop.db')).toEqual(['lamp']);
    const [before = ''] = readdirSync('volume').filter((name) => name.includes('.before-'));
    expect(names(`volume/${before}`)).toEqual(['lamp', 'chair']);
  });

  it('restore over a file that no SQLite opens any more, and keep it with its log', async () => {
    verifies('restore.kept');
    inFolder({ 'application.ts': text });
    const running = await start();
    await waymark('backup', '--out', 'a.db');
    await running.close();
    writeFileSync('shop.db', 'not a database any more '.repeat(100));
    writeFileSync('shop.db-wal', 'its log');
    // A process of the service that is alive: it may have the file open.
    const holder = new DatabaseSync('shop.db-holder-x');
    holder.exec('BEGIN EXCLUSIVE');
    expect((await waymark('restore', 'a.db')).err).toContain('stop it first');
    holder.close();
    const { code, out } = await waymark('restore', 'a.db');
    expect(code).toBe(0);
    const [, before = ''] = /what was there is (\S+);/.exec(out) ?? [];
    expect(readFileSync(before, 'utf8')).toMatch(/^not a database/);
    expect(readFileSync(`${before}-wal`, 'utf8')).toBe('its log');
    expect(statSync('shop.db-wal', { throwIfNoEntry: false })).toBeUndefined();
    expect(names('shop.db')).toEqual([]);
  });

  it('restore beside a log whose file is gone', async () => {
    verifies('restore.kept');
    inFolder({ 'application.ts': text });
    await (await start()).close();
    await waymark('backup', '--out', 'a.db');
    rmSync('shop.db');
    writeFileSync('shop.db-wal', 'its log');
    expect((await waymark('restore', 'a.db')).code).toBe(0);
    expect(statSync('shop.db-wal', { throwIfNoEntry: false })).toBeUndefined();
    expect(names('shop.db')).toEqual([]);
  });

  it.each([
    ['in memory', ':memory:', 'the database is in memory'],
    ['on a server', 'libsql://shop.example.com', 'the database is on a server, which has to back up it'],
  ])('say what else to do where the database is %s', async (_, url, words) => {
    verifies('backup.elsewhere');
    inFolder({ 'application.ts': text.replace('sqlite://shop.db', url) });
    const { code, err } = await waymark('backup');
    expect(code).toBe(1);
    expect(err).toContain(words);
  });
});
