import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { applicationText, inFolder } from './command-line.ts';

const bin = join(import.meta.dirname, '..', 'bin', 'waymark.js');
/** As far as TypeScript goes, this makes a Node as old as those before 22.18. */
const old = ['--no-experimental-strip-types', '--disable-warning=ExperimentalWarning'];
const said = `Node ${process.versions.node} does not run TypeScript, which application.ts is`;
const advice = 'npm run and npx take the Node that this application brings';

/** What a program printed that failed. */
async function failureOf(argv: readonly string[]): Promise<{ code: number; all: string }> {
  const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };
  const failed = promisify(execFile)(process.execPath, [...old, ...argv], { env });
  const { code, stdout, stderr } = await failed.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: unknown) => error as { code: number; stdout: string; stderr: string }, // what execFile rejects with
  );
  return { code, all: stdout + stderr };
}

describe('a Node that does not run TypeScript', () => {
  it('is told what to do by each command that needs the application, in one line', async () => {
    verifies('getting.old-node');
    inFolder({ 'application.ts': applicationText('') });
    // `check` is what `npm test` begins with: the test runner of an older Node finds no tests, and calls that a success.
    for (const command of ['start', 'dev', 'check', 'routes'])
      expect(await failureOf([bin, command])).toEqual({ code: 1, all: `${said}; ${advice}\n` });
  });

  it('writes an application all the same', async () => {
    verifies('getting.old-node');
    inFolder();
    expect(await failureOf([bin, 'new', 'desk'])).toMatchObject({ code: 0 });
  });
});
