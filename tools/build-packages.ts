import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { findStale, keepFresh } from './lib/fingerprint.ts';
import { repositoryRoot } from './lib/workspace.ts';

/**
 * Before tests that start programs: builds what changed, with declarations. The programs then run what is published, as
 * whoever installs the packages does, and load it in a quarter of the time. Where nothing changed it costs nothing.
 *
 * `PACKAGES=built` says that it is done: nx writes all of it anew from its cache, also where nothing changed, and tiers that
 * run side by side would take it away from each other.
 */
export default function buildPackages(): void {
  if (process.env['PACKAGES'] !== 'built') buildStale();
}

/** Builds what changed, and keeps that it did: whoever looks for what is stale from then on leaves all of it alone. */
export function buildStale(): void {
  const stale = findStale(repositoryRoot, 'built');
  if (stale.length === 0) return;
  const nx = join(repositoryRoot, 'node_modules/.bin/nx');
  const env = { ...process.env, NX_DAEMON: 'false' };
  try {
    execFileSync(nx, ['run-many', '-t', 'build'], { env, cwd: repositoryRoot, stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }; // what execFileSync throws
    throw new Error(`the packages cannot be built\n${stdout}${stderr}`);
  }
  for (const name of ['built', 'bundled']) keepFresh(repositoryRoot, name, stale);
}
