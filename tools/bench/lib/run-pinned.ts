import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pinned } from './cores.ts';

/** Runs a program on one core and gives what it printed. @throws {Error} when it fails */
export async function runPinned(core: number, command: readonly string[]): Promise<string> {
  const [program = '', ...args] = pinned(core, command);
  const { stdout } = await promisify(execFile)(program, args);
  return stdout;
}

/** Writes a file for as long as somebody works with it. */
export async function withFile<T>(
  name: string,
  text: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-bench-'));
  try {
    const path = join(folder, name);
    await writeFile(path, text);
    return await work(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}
