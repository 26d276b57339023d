// Prints what runs in production, as CycloneDX: what is installed, and what was taken into the files of the packages.
import { execFileSync } from 'node:child_process';
import { bringUp } from './lib/bring-up.ts';
import { readRunning } from './lib/what-runs.ts';
import { repositoryRoot } from './lib/workspace.ts';

interface Bom {
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly 'bom-ref': string;
  }[];
}

await bringUp(repositoryRoot, (line) => console.error(line));
const args = ['sbom', '--sbom-format', 'cyclonedx'];
const options = { cwd: repositoryRoot, encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
const everything = JSON.parse(execFileSync('npm', args, options)) as Bom;
const running = readRunning(repositoryRoot);
const isOurs = (name: string): boolean => name.startsWith('@waymark/') && name !== '@waymark/e2e';
const components = everything.components.filter(
  ({ name, version }) => isOurs(name) || running.has(`${name}@${version}`),
);
console.log(JSON.stringify({ ...everything, components }, null, 2));
