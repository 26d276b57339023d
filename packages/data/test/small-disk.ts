import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { testFolder } from './open.ts';

/** A disk of 2 MB. */
export interface SmallDisk {
  readonly folder: string;
  /** Leaves room for some writes, not for many. */
  fill(): void;
  free(): void;
}

/** A small disk until the test is over; undefined where none can be made. */
export function smallDisk(): SmallDisk | undefined {
  if (process.platform !== 'linux') return undefined;
  const folder = join(testFolder(), 'disk');
  mkdirSync(folder);
  if (!run('mount', '-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder)) return undefined;
  onTestFinished(() => void run('umount', '--lazy', folder));
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: () => writeFileSync(ballast, Buffer.alloc(1_200_000)),
    free: () => rmSync(ballast),
  };
}

const run = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0;
