// Rehearses a release: every package as the registry would get it, with provenance, and the next version with its chapter
// of the changelog, of which nothing is written. What is published is what `npm run build` made.
import { spawnSync } from 'node:child_process';
import { readWorkspaces, repositoryRoot } from './lib/workspace.ts';

const published = readWorkspaces(repositoryRoot).filter(({ manifest }) => manifest.private !== true);
const said = run(['release', 'publish', '--dry-run', '--first-release']);
// What npm says of each is not always told by nx to its end; how many there were is.
const [, count] = /Successfully ran target nx-release-publish for (\d+) projects/.exec(said) ?? [];
if (Number(count) !== published.length) {
  console.error(`${said}\n${count ?? 'none'} of ${published.length} packages would be published`);
  process.exitCode = 1;
} else console.log(`release: ${published.length} packages would be published, with provenance`);

/** @returns what nx said; it is shown where it fails */
function run(argv: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('nx', argv, {
    cwd: repositoryRoot,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, NX_DAEMON: 'false', NO_COLOR: '1', NPM_CONFIG_PROVENANCE: 'true' },
  });
  if (status === 0) return stdout + stderr;
  console.error(stdout + stderr);
  process.exit(1);
}
