import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { expect, it, onTestFinished } from 'vitest';
import { sqlRunStore } from '../../src/index.ts';
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
