import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * Before tests that start programs: builds what changed, and nothing where CI has built it. The programs then run what is
 * published, as whoever installs the packages does, and load it in half the time.
 */
export default function buildPackages(): void {
  const nx = join(import.meta.dirname, '../node_modules/.bin/nx');
  const env = { ...process.env, NX_DAEMON: 'false' };
  try {
    execFileSync(nx, ['run-many', '-t', 'build'], {
      env,
      cwd: join(import.meta.dirname, '..'),
      stdio: 'pipe',
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }; // what execFileSync throws
    throw new Error(`the packages cannot be built\n${stdout}${stderr}`);
  }
}
