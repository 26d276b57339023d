import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * Compiles a library that is loaded before those of a program (LD_PRELOAD).
 *
 * @param source a file beside this one
 * @returns its path; undefined where there is no compiler or the system is not Linux
 */
export function compileLibrary(folder: string, source: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const library = join(folder, source.replace(/c$/, 'so'));
  const from = join(import.meta.dirname, source);
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, from, '-ldl']);
  return status === 0 ? library : undefined;
}
