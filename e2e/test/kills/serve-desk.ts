import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Program, startProgram } from '../program.ts';

/** Of whoever calls a served desk: its programs know it as `DESK_KEY`. */
export const deskKey = 'desk-secret-of-more-than-16-bytes';

/** A desk that the command line serves, until somebody kills it or the test is over. */
export interface ServedDesk {
  readonly program: Program;
  readonly url: string;
  /** Kills it as the system does, and waits until it is gone. */
  kill(): Promise<void>;
}

/**
 * Serves a program of `test/programs` with `waymark start`, its database in a folder: what one left behind the next takes up.
 *
 * @param env beside database, key and log level
 */
export async function serveDesk(
  name: string,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<ServedDesk> {
  const program = startProgram('apps/server/bin/waymark.js', {
    cwd: folder,
    env: { DATABASE: join(folder, 'desk.db'), DESK_KEY: deskKey, LOG_LEVEL: 'warn', ...env },
    argv: ['start', join(import.meta.dirname, `../programs/${name}.ts`), '--port', '0'],
  });
  onTestFinished(() => void program.child.kill('SIGKILL'));
  const [url = ''] = await program.saying(/http:\/\/127\.0\.0\.1:\d+/);
  return {
    ...{ program, url },
    async kill() {
      program.child.kill('SIGKILL');
      await program.ended();
    },
  };
}
