import { chmodSync, chownSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runRecord, verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase, sqlRunStore } from '../../src/index.ts';
import { testDatabase, testFolder } from '../open.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** The modes of all files of a folder. */
function modesIn(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]));
}

/** As where everything is let through. */
function withoutUmask(): void {
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
}

/** A database of an earlier release, closed, and open for others with a mode. */
async function olderFile(mode: number): Promise<string> {
  const file = join(testFolder(), 'a.db');
  await (await openDatabase(`sqlite://${file}`)).close();
  chmodSync(file, mode);
  return file;
}

/** Opens it. @returns what was logged about modes */
async function openLogged(file: string): Promise<readonly unknown[]> {
  const lines: unknown[] = [];
  await testDatabase(`sqlite://${file}`, {
    log: (level, message, fields) => void lines.push([level, message, fields]),
  });
  return lines;
}

describe('the files of a database', () => {
  it('are made for their owner alone, whatever the umask', async () => {
    verifies('sql.private');
    withoutUmask();
    const folder = testFolder();
    const database = await testDatabase(`sqlite://${folder}/a.db`);
    const runs = sqlRunStore(database);
    const leave = await runs.enter('holder');
    onTestFinished(leave);
    await runs.start(runRecord('run'), 'holder', 60_000);
    expect(modesIn(folder)).toEqual(
      Object.fromEntries(
        ['a.db', 'a.db-wal', 'a.db-shm', 'a.db-holder-holder', 'a.db-holder-holder-journal']
          .filter((name) => readdirSync(folder).includes(name))
          .map((name) => [name, '600']),
      ),
    );
    expect(Object.keys(modesIn(folder))).toEqual(
      expect.arrayContaining(['a.db', 'a.db-wal', 'a.db-shm', 'a.db-holder-holder']),
    );
  });

  it.each([
    ['644', 0o644, '600'],
    ['666', 0o666, '660'],
    ['664', 0o664, '660'],
    ['640', 0o640, '600'],
  ])('with the mode %s are taken from others, but for a group that may write', async (was, mode, now) => {
    verifies('sql.private');
    const file = await olderFile(mode);
    const lines = await openLogged(file);
    expect(modeOf(file)).toBe(now);
    expect(lines).toContainEqual([
      'info',
      'others may no longer read a file of the database',
      { file: 'database', mode: `0${was}`, now: `0${now}` },
    ]);
    // What is made beside it has its mode.
    expect(modeOf(`${file}-wal`)).toBe(now);
  });

  it.each([0o600, 0o660])('with the mode %o stay as they are, without a word', async (mode) => {
    const file = await olderFile(mode);
    expect(await openLogged(file)).toEqual([]);
    expect(modeOf(file)).toBe(mode.toString(8));
  });

  it('of another user stay as they are, with a warning', async ({ skip }) => {
    if (process.getuid?.() !== 0) return skip('only root opens what is not its own');
    const file = await olderFile(0o644);
    chownSync(file, 65_534, 65_534);
    expect(await openLogged(file)).toContainEqual([
      'warn',
      'others may read a file of the database',
      { file: 'database', mode: '0644' },
    ]);
    expect(modeOf(file)).toBe('644');
  });

  it('that are refused keep their mode', async () => {
    const file = join(testFolder(), 'a.db');
    writeFileSync(
      file,
      'no database, but much text of another kind, which is long enough to be seen as such',
    );
    chmodSync(file, 0o644);
    await expect(openDatabase(`sqlite://${file}`)).rejects.toThrow(/something else/);
    expect([basename(file), modeOf(file)]).toEqual(['a.db', '644']);
  });
});
