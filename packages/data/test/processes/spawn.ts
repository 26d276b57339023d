import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Runs a script beside this file with the sources of the workspace. Kill it by the handle. */
export function spawnScript(script: string, ...args: readonly string[]): ChildProcessWithoutNullStreams {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return spawn(process.execPath, [
    '--conditions=@waymark/source',
    '--disable-warning=ExperimentalWarning',
    path,
    ...args,
  ]);
}

/** What a script printed, and how it ended. */
export async function outputOf(
  child: ChildProcessWithoutNullStreams,
): Promise<{ text: string; errors: string; code: number | null; signal: string | null }> {
  let text = '';
  let errors = '';
  child.stdout.on('data', (chunk) => (text += String(chunk)));
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { text, errors, code, signal };
}
