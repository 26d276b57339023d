import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readJson } from './workspace.ts';

/**
 * Installs a folder that has a lock file of its own and stands apart from the workspaces, unless what is locked is
 * there already. For programs that are heavy and that few people need. Their install scripts do not run.
 *
 * @throws {Error} when npm fails
 */
export function installFolder(folder: string): void {
  if (isInstalled(folder)) return;
  console.log(`installing ${folder} (npm ci)`);
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ci failed in ${folder}`);
}

/** npm keeps what it installed in node_modules/.package-lock.json; other platforms' packages are not in it. */
function isInstalled(folder: string): boolean {
  const wanted = packagesOf(join(folder, 'package-lock.json'));
  const installed = packagesOf(join(folder, 'node_modules/.package-lock.json'));
  return (
    wanted !== undefined &&
    Object.entries(wanted).every(
      ([path, { version, optional }]) =>
        path === '' || optional === true || installed?.[path]?.version === version,
    )
  );
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly optional?: boolean }>>;
}

function packagesOf(file: string): Lock['packages'] | undefined {
  try {
    return readJson<Lock>(file).packages;
  } catch {
    return undefined; // not installed yet
  }
}
