// Holds the manifests of what is published to what registries and their readers look for: where the source is, what it is
// about, and that a release is signed. `--update` writes what follows from the manifest of the root.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Finding,
  type Manifest,
  readJson,
  readWorkspaces,
  report,
  repositoryRoot,
} from './lib/workspace.ts';

/** What of a manifest is read by people who look for a package, and by those who release it. */
interface Published extends Manifest {
  readonly description?: string;
  readonly keywords?: readonly string[];
}

interface Root {
  readonly homepage: string;
  readonly repository: { readonly type: string; readonly url: string };
}

const leastKeywords = 3;
const root = readJson<Root>(join(repositoryRoot, 'package.json'));
const findings: Finding[] = [];
for (const { dir, manifest } of readWorkspaces(repositoryRoot)) {
  if (manifest.private === true) continue;
  const file = `${dir}/package.json`;
  if (process.argv.includes('--update')) update(file, dir);
  const current = readJson<Published>(join(repositoryRoot, file));
  findings.push(...[...faultsOf(current, dir)].map((message) => ({ file, line: 1, message })));
}
report('manifests', findings);

function* faultsOf(manifest: Published, dir: string): Iterable<string> {
  if (!manifest.description) yield 'has no description';
  if ((manifest.keywords ?? []).length < leastKeywords) yield `has fewer than ${leastKeywords} keywords`;
  const members = new Map(Object.entries(manifest));
  for (const [name, value] of Object.entries(derived(dir)))
    if (JSON.stringify(members.get(name)) !== JSON.stringify(value))
      yield `${name} is not what follows from the root; npm run manifests`;
}

/** What is the same of all of them but for the folder. Provenance says which commit a package was built from. */
function derived(dir: string): Readonly<Record<string, unknown>> {
  const [site = ''] = root.homepage.split('#');
  return {
    repository: { ...root.repository, directory: dir },
    homepage: `${site}/tree/main/${dir}#readme`,
    bugs: `${site}/issues`,
    publishConfig: { access: 'public', provenance: true },
  };
}

/** Behind the licence, in the order in which they are derived; whatever else there is stays where it is. */
function update(file: string, dir: string): void {
  const path = join(repositoryRoot, file);
  const members = Object.entries(readJson<Record<string, unknown>>(path));
  const ours = derived(dir);
  const others = members.filter(([name]) => !(name in ours));
  const at = others.findIndex(([name]) => name === 'license') + 1;
  const text = JSON.stringify(Object.fromEntries(others.toSpliced(at, 0, ...Object.entries(ours))), null, 2);
  if (`${text}\n` !== readFileSync(path, 'utf8')) writeFileSync(path, `${text}\n`);
}
