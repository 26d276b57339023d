import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Program, startProgram } from './program.ts';
import { deskKeys } from './sql-desk.ts';

/** A process that serves the desk. */
export interface StartedDesk {
  readonly program: Program;
  readonly url: string;
  readonly port: number;
}

/** A folder that is gone when the test or drill is over. */
export function temporaryFolder(onEnd: (task: () => void) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-sql-'));
  onEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a process that serves the desk over a file, and waits until it listens. */
export async function startDesk(
  file: string,
  env: Readonly<Record<string, string>> = {},
): Promise<StartedDesk> {
  const program = startProgram('e2e/test/programs/sql-desk.ts', {
    cwd: join(file, '..'),
    env: { LOG_LEVEL: 'silent', DATABASE: `sqlite://${file}`, ...deskKeys, ...env },
  });
  const [, url = ''] = await program.saying(/^url (\S+)$/m);
  return { program, url, port: Number(new URL(url).port) };
}
