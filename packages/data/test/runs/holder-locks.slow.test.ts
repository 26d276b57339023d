import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { expect, it, onTestFinished } from 'vitest';
import { sqlRunStore } from '../../src/index.ts';
import { HolderLocks } from '../../src/runs/holder-locks.ts';
import { testDatabase, testFolder } from '../open.ts';
import { spawnScript } from '../processes/spawn.ts';

it('ends the leases of a process that was killed, at once and no others', async () => {
  verifies('run.takeover');
  const folder = testFolder();
  const runs = sqlRunStore(await testDatabase(`sqlite://${join(folder, 'test.db')}`));
  const hold = async (holder: string) => {
    const child = spawnScript('hold-root.ts', join(folder, 'test.db'), holder);
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    return child;
  };
  const [first, second] = [await hold('first'), await hold('second')];
  // Both are alive.
  expect(await runs.endLeases()).toBe(0);
  expect(await runs.take('q', 9, 60_000)).toEqual([]);

  first.kill('SIGKILL');
  await once(first, 'close');
  expect(await runs.endLeases()).toBe(1);
  const taken = await runs.take('q', 9, 60_000);
  expect(taken.map(({ fence }) => fence.rootId)).toEqual(['run-of-first']);
  expect(readdirSync(folder).filter((name) => name.includes('holder-first'))).toEqual([]);

  second.kill('SIGKILL');
  await once(second, 'close');
  expect(await runs.endLeases()).toBe(1);
});

it('leaves no file behind when a holder ends in order', async () => {
  const folder = testFolder();
  const runs = sqlRunStore(await testDatabase(`sqlite://${join(folder, 'test.db')}`));
  const leave = await runs.enter('p');
  expect(readdirSync(folder).some((name) => name.endsWith('-holder-p'))).toBe(true);
  leave();
  expect(readdirSync(folder).filter((name) => name.includes('holder'))).toEqual([]);
});

it('takes away what processes that were killed while they held nothing left, and nothing of one that lives', async () => {
  const folder = testFolder();
  const file = join(folder, 'test.db');
  const runs = sqlRunStore(await testDatabase(`sqlite://${file}`));
  const enter = async (holder: string) => {
    const child = spawnScript('enter-holder.ts', file, holder);
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    return child;
  };
  await enter('living');
  for (const child of [await enter('first'), await enter('second')]) {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  writeFileSync(`${file}-holder-of-somebody`, 'a file with something in it is none of ours');
  mkdirSync(`${file}-holder-folder`);
  const left = () =>
    readdirSync(folder).filter((name) => name.includes('-holder-') && !name.endsWith('-journal'));
  expect(left()).toContain('test.db-holder-second');

  const leave = await runs.enter('next');
  const others = ['folder', 'living', 'of-somebody'].map((holder) => `test.db-holder-${holder}`);
  expect(left().sort()).toEqual([...others, 'test.db-holder-next'].sort());
  expect(readdirSync(folder)).not.toContain('test.db-holder-first-journal');
  leave();
  expect(left().sort()).toEqual(others);
});

it('lets many start at once, each of which looks at the files of the others', async () => {
  const file = join(testFolder(), 'test.db');
  const start = async (holder: string) => {
    const locks = new HolderLocks(file);
    const leave = await locks.enter(holder);
    for (const other of locks.list()) expect(await locks.bury(other, async () => {})).toBe(false);
    return leave;
  };
  const leaves = await Promise.all(Array.from({ length: 20 }, (_, n) => start(`h${n}`)));
  expect(new HolderLocks(file).list()).toHaveLength(20);
  for (const leave of leaves) leave();
  expect(new HolderLocks(file).list()).toEqual([]);
});

it('makes the file of a holder again where somebody took it for that of one that is gone', async () => {
  const file = join(testFolder(), 'test.db');
  // As whoever looks at it finds it between its making and its lock.
  writeFileSync(`${file}-holder-p`, '');
  let entered: Promise<() => void> | undefined;
  const took = await new HolderLocks(file).bury('p', async () => {
    entered = new HolderLocks(file).enter('p');
    await new Promise((resolve) => setTimeout(resolve, 30));
  });
  expect(took).toBe(true);
  const leave = await entered;
  expect(new HolderLocks(file).list()).toEqual(['p']);
  expect(await new HolderLocks(file).bury('p', async () => {})).toBe(false);
  leave?.();
  expect(readdirSync(join(file, '..'))).toEqual([]);
});
