/** Processes that migrate at the same time, are killed while they do, and are copied while they write. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { applicationText, inFolder } from './command-line.ts';
import { type Program, run } from './running.ts';

const options = `{ port: 0, database: 'sqlite://shop.db', shutdownTimeout: 1 }`;
const shop = applicationText(`application.resource('items', { name: Type.String() });`, options);

/** Starts the command line in a folder; it is gone after the test. */
function waymark(folder: string, argv: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
  const program = run(['apps/server/bin/waymark.js', ...argv], {
    cwd: folder,
    env: { LOG_LEVEL: 'warn', ...env },
  });
  onTestFinished(() => void program.child.kill('SIGKILL'));
  return program;
}

async function kill(program: Program): Promise<void> {
  program.child.kill('SIGKILL');
  await program.ended();
}

function rows(file: string, sql: string): readonly unknown[] {
  const database = new DatabaseSync(file);
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

/** A statement that writes twenty megabytes: it is met in the middle. */
const slow = `insert into big with recursive n (x) as (select 1 union all select x + 1 from n where x < 100000)
  select x, hex(randomblob(100)) from n;`;

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Resolves when so much of the log is written. */
async function logOf(file: string, bytes: number): Promise<void> {
  while (sizeOf(`${file}-wal`) < bytes) await pause(2);
}

describe('processes that migrate one database', () => {
  it('apply each migration once: commands, and the workers of a server', async () => {
    verifies('migrate.together');
    const folder = inFolder({
      'application.ts': shop,
      'migrations/1_big.sql': `create table big (x integer, y text);\n${slow}`,
      'migrations/2_more.sql': `insert into big values (-1, 'once');`,
    });
    const server = waymark(folder, ['start', '--workers', '2', '--json']);
    const commands = [1, 2].map(() => waymark(folder, ['migrate', '--json']));
    expect(await Promise.all(commands.map((one) => one.ended()))).toEqual([0, 0]);
    await server.saying(/"url":"http/);
    const found = rows(
      'shop.db',
      'select (select count(*) from big) as big, (select count(*) from svc__migration) as known',
    );
    expect(found).toEqual([{ big: 100_001, known: 2 }]);
    server.child.kill('SIGTERM');
    expect(await server.ended()).toBe(0);
  });

  it('leave nothing of one in which they are killed, and the next start applies it', async () => {
    verifies('migrate.killed');
    const folder = inFolder({
      'application.ts': shop,
      'migrations/1_first.sql': 'create table first (x);',
      'migrations/2_big.sql': `create table big (x integer, y text);\n${slow}`,
    });
    const killed = waymark(folder, ['start']);
    // More than the tables of the service take: it is in the middle of the second.
    await logOf('shop.db', 4_000_000);
    await kill(killed);
    expect(killed.child.signalCode).toBe('SIGKILL');
    expect(rows('shop.db', 'select name from svc__migration')).toEqual([{ name: '1_first' }]);
    expect(rows('shop.db', `select name from sqlite_schema where name = 'big'`)).toEqual([]);
    const again = waymark(folder, ['start', '--json']);
    await again.saying(/"url":"http/);
    expect(rows('shop.db', 'select count(*) as big from big')).toEqual([{ big: 100_000 }]);
  });
});

describe('waymark restore', () => {
  it('leaves the old database or the new one where it is killed, and what was there is kept', async () => {
    verifies('restore.kept');
    const folder = inFolder({
      'application.ts': shop,
      'migrations/1_big.sql': `create table big (x integer, y text);\n${slow}`,
    });
    expect(await waymark(folder, ['migrate']).ended()).toBe(0);
    expect(await waymark(folder, ['backup', '--out', 'a.db']).ended()).toBe(0);
    rows('shop.db', `insert into big values (-1, 'newer')`);
    const has = (file: string): boolean => rows(file, 'select 1 from big where x = -1').length === 1;
    const names = (start: string): readonly string[] =>
      readdirSync('.').filter((name) => name.startsWith(start));
    const moments: readonly (() => boolean)[] = [
      () => names('.waymark-restore-').length > 0,
      () => names('.waymark-restore-').some((name) => sizeOf(join(name, 'copy.db')) > 10_000_000),
      () => names('shop.db.before-').length > 0,
    ];
    for (const isThere of moments) {
      const restore = waymark(folder, ['restore', 'a.db']);
      while (!isThere() && restore.child.exitCode === null) await pause(1);
      await kill(restore);
      const before = names('shop.db.before-').filter((name) => !/-(wal|shm|journal)$/.test(name));
      expect(has('shop.db') || before.some(has)).toBe(true);
      expect(rows('shop.db', 'pragma quick_check')).toEqual([{ quick_check: 'ok' }]);
    }
    const last = waymark(folder, ['restore', 'a.db']);
    expect(await last.ended()).toBe(0);
    expect(has('shop.db')).toBe(false);
    expect(names('.waymark-restore-')).toEqual([]);
  });
});

describe('waymark backup', () => {
  it('has all that was acknowledged before it began, whatever is killed, and holds nobody who writes', async () => {
    verifies('backup.acknowledged', 'backup.online');
    const folder = inFolder({
      'application.ts': shop,
      'migrations/1_big.sql': `create table big (x integer, y text);\n${slow}`,
    });
    const server = waymark(folder, ['start', '--json'], { LOG_LEVEL: 'silent' });
    const [, url = ''] = await server.saying(/"url":"(http[^"]+)"/);
    const acknowledged: number[] = [];
    const refused: number[] = [];
    let stopped = false;
    const write = async (): Promise<void> => {
      while (!stopped) {
        const answer = await fetch(`${url}/items`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"name":"lamp"}',
        }).catch(() => undefined);
        if (!answer) return;
        if (answer.status === 201) acknowledged.push(((await answer.json()) as { id: number }).id);
        else refused.push(answer.status);
      }
    };
    const writers = Promise.all(Array.from({ length: 8 }, write));
    const copies: { readonly file: string; readonly before: readonly number[]; readonly during: number }[] =
      [];
    for (const file of ['a.db', 'b.db']) {
      const before = [...acknowledged];
      const backup = waymark(folder, ['backup', '--out', file]);
      // The last one is made while the server dies; where it was made between two looks, before.
      if (file === 'b.db') {
        const begun = (name: string): boolean => name === file || name.startsWith('.waymark-backup-');
        while (!readdirSync('.').some(begun)) await pause(1);
        await kill(server);
      }
      expect(await backup.ended()).toBe(0);
      copies.push({ file, before, during: acknowledged.length - before.length });
    }
    stopped = true;
    await writers;
    expect(refused).toEqual([]);
    expect(copies[0]?.during).toBeGreaterThan(0);
    for (const { file, before } of copies) {
      const kept = new Set(rows(file, 'select id from items').map((row) => (row as { id: number }).id));
      expect(before.filter((id) => !kept.has(id))).toEqual([]);
    }
    // Put in the place of what the killed server left behind, whose log is kept beside it.
    const restore = waymark(folder, ['restore', 'a.db']);
    expect(await restore.ended()).toBe(0);
    const [, before = ''] = /what was there is (\S+);/.exec(restore.stdout()) ?? [];
    const left = new Set(rows(before, 'select id from items').map((row) => (row as { id: number }).id));
    expect(acknowledged.filter((id) => !left.has(id))).toEqual([]);
    const again = waymark(folder, ['start', '--json']);
    const [, served = ''] = await again.saying(/"url":"(http[^"]+)"/);
    expect((await fetch(`${served}/items?limit=1`)).status).toBe(200);
  });
});
