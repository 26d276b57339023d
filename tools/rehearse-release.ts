// Rehearses a release: nx knows every package as one that it publishes, and npm, asked once for all of them, would send each to
// the registry, with provenance; nothing is written. What is published is what `npm run build` made.
import { spawnSync } from 'node:child_process';
import { readWorkspaces, repositoryRoot } from './lib/workspace.ts';

const published = readWorkspaces(repositoryRoot)
  .map(({ manifest }) => manifest)
  .filter((manifest) => manifest.private !== true);
const known = JSON.parse(
  run('nx', ['show', 'projects', '--with-target', 'nx-release-publish', '--json']),
) as readonly string[];
const workspaces = known.map((name) => `--workspace=${name}`);
const said = run('npm', ['publish', '--dry-run', '--loglevel=error', ...workspaces]);
const missing = published.filter(({ name, version }) => !said.split('\n').includes(`+ ${name}@${version}`));
if (missing.length > 0 || known.length !== published.length) {
  const names = missing.map(({ name }) => name).join(', ');
  console.error(
    `${said}\nnx knows ${known.length} of ${published.length} packages; not published: ${names || 'none'}`,
  );
  process.exitCode = 1;
} else console.log(`release: ${published.length} packages would be published, with provenance`);

/** @returns what it said; it is shown where it fails */
function run(program: string, argv: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, argv, {
    cwd: repositoryRoot,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, NX_DAEMON: 'false', NO_COLOR: '1', NPM_CONFIG_PROVENANCE: 'true' },
  });
  if (status === 0) return stdout;
  console.error(stdout + stderr);
  process.exit(1);
}
