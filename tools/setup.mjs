// Installs dependencies when node_modules does not match the lock file. Plain JavaScript for any Node ≥ 18:
// it runs before everything else, with whatever node the machine has.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const root = new URL('..', import.meta.url);

if (!isInstalled()) {
  console.log('setup: installing dependencies (npm ci)');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exitCode = status ?? 1;
}

/**
 * npm keeps what it installed in node_modules/.package-lock.json; other platforms' packages are not in it. A package of this
 * repository has no version there, and is a link.
 */
function isInstalled() {
  const wanted = packagesOf('package-lock.json');
  const installed = packagesOf('node_modules/.package-lock.json');
  return Object.entries(wanted ?? {}).every(
    ([path, { version, optional }]) =>
      path === '' || optional || (installed?.[path] !== undefined && installed[path].version === version),
  );
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(new URL(file, root), 'utf8')).packages;
  } catch {
    return undefined; // not installed yet
  }
}
