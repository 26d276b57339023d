import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { BoundStatement, Driver } from '../../../src/database/driver/driver.ts';
import { SqlFault } from '../../../src/database/sql-fault.ts';
import { DatabaseTroubles } from '../../../src/database/watch/database-troubles.ts';
import { DatabaseWatch } from '../../../src/database/watch/database-watch.ts';
import { testDatabase, testFolder } from '../../open.ts';

const everyMs = 10;

/** Watches a driver that does what it is told to. */
function watching(kind: Driver['kind'], use: () => Promise<readonly []>) {
  const troubles = new DatabaseTroubles();
  const uses = vi.fn<(statements: readonly BoundStatement[]) => Promise<readonly []>>(async () => {
    const results = await use();
    // As the queue of a file does.
    if (kind === 'file') watch.stored(true);
    return results;
  });
  // The watch asks for no more of a driver.
  const driver = { kind, read: uses, write: uses } as unknown as Driver;
  const watch = new DatabaseWatch({ troubles, everyMs });
  watch.start(driver);
  onTestFinished(() => watch.stop());
  return { watch, troubles, uses, codes: () => troubles.list.map(({ code }) => code) };
}

/** What a driver was asked to write. */
function written(uses: ReturnType<typeof watching>['uses']): readonly string[] {
  return uses.mock.calls.flatMap(([[statement]]) =>
    statement?.text.kind === 'read' || !statement ? [] : [statement.text.sql],
  );
}

describe('DatabaseWatch', () => {
  it('asks nothing of a database in memory', async () => {
    const { uses, watch } = watching('memory', async () => []);
    await sleep(5 * everyMs);
    expect(uses).not.toHaveBeenCalled();
    watch.locked(60_000);
    expect(watch.refusal('full')).toBeUndefined();
  });

  it('asks a server that nobody asks, and says when it is out of reach', async () => {
    verifies('sql.troubles');
    let answer: () => Promise<readonly []> = async () => [];
    const { codes, uses } = watching('remote', () => answer());
    await expect.poll(() => uses).toHaveBeenCalled();
    expect(codes()).toEqual([]);
    answer = () => Promise.reject(new SqlFault('UNREACHABLE'));
    await expect.poll(codes).toEqual(['database-unreachable']);
    answer = async () => [];
    await expect.poll(codes).toEqual([]);
  });

  it('writes to a server that has left a write without an answer, until one is stored', async () => {
    verifies('sql.troubles');
    const { codes, uses, troubles } = watching('remote', async () => []);
    await expect.poll(() => uses).toHaveBeenCalled();
    expect(written(uses)).toEqual([]);
    troubles.wrote(false);
    expect(codes()).toEqual(['database-stuck']);
    await expect.poll(() => written(uses).length).toBeGreaterThan(0);
    // What is read says nothing of what is written.
    expect(codes()).toEqual(['database-stuck']);
    troubles.wrote(true);
    expect(codes()).toEqual([]);
  });

  it.each([
    ['remote', 'database-unreachable'],
    ['file', 'database-failing'],
  ] as const)('says of a %s that does not answer: %s', async (kind, code) => {
    verifies('sql.troubles');
    let release: () => void = () => undefined;
    const hangs = new Promise<readonly []>((resolve) => {
      release = () => resolve([]);
    });
    const { codes, uses } = watching(kind, () => hangs);
    await expect.poll(codes).toEqual([code]);
    // It is not asked again before it has answered.
    expect(uses).toHaveBeenCalledTimes(1);
    release();
    await expect.poll(codes).toEqual([]);
  });

  it.each([
    [999, []],
    [1_000, ['database-locked']],
    [1_001, ['database-locked']],
  ])('takes a lock that lasts for %i ms for %j', (ms, expected) => {
    verifies('sql.troubles');
    const { watch, codes } = watching('file', async () => []);
    watch.locked(ms);
    expect(codes()).toEqual(expected);
  });

  it.each([
    ['full', 0, false],
    ['normal', 0.9, true],
    ['normal', 1, false],
    ['normal', 1.1, false],
  ] as const)(
    'looks for a commit that is %s %d ms after it looked last: is it let through? %j',
    (level, ms, isLet) => {
      verifies('sql.gone');
      const file = join(testFolder(), 'a.db');
      writeFileSync(file, '');
      const watch = new DatabaseWatch({ troubles: new DatabaseTroubles(), everyMs: 60_000 });
      onTestFinished(() => watch.stop());
      watch.start({ kind: 'file' } as unknown as Driver, file);
      const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000);
      onTestFinished(() => clock.mockRestore());
      expect(watch.refusal('normal')).toBeUndefined();
      rmSync(file);
      clock.mockReturnValue(1_000 + ms);
      expect(watch.refusal(level) === undefined).toBe(isLet);
      // Once it is known nothing is let through.
      if (!isLet) expect(watch.refusal('normal')).toBeDefined();
    },
  );

  it('writes to a file when nobody else does', async () => {
    const file = join(testFolder(), 'a.db');
    await testDatabase(`sqlite://${file}`, { probeMs: everyMs });
    const { size } = statSync(`${file}-wal`);
    await expect.poll(() => statSync(`${file}-wal`).size).toBeGreaterThan(size);
  });

  it('asks nothing while others write', async () => {
    const { uses, troubles } = watching('file', async () => []);
    const work = setInterval(() => troubles.worked(true), 1);
    onTestFinished(() => clearInterval(work));
    await sleep(3 * everyMs);
    expect(uses).not.toHaveBeenCalled();
  });

  it('asks no more once it is stopped', async () => {
    const { uses, watch } = watching('file', async () => []);
    await watch.stop();
    await sleep(5 * everyMs);
    expect(uses).not.toHaveBeenCalled();
  });
});
