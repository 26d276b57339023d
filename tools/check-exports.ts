// Pins the names each package exports, so that a new public name is a decision. `--update` rewrites the pin.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportedNames } from './lib/parse.ts';
import {
  entryPoints,
  type Finding,
  readJson,
  readWorkspaces,
  report,
  repositoryRoot,
} from './lib/workspace.ts';

const pinFile = 'tools/exports.lock.json';

/** Sorted names by entry point. */
type Pin = Readonly<Record<string, readonly string[]>>;

/** Names that appeared or vanished since the pin was written. */
export function checkExports(root: string): Finding[] {
  const pinned: Pin = existsSync(join(root, pinFile)) ? readJson(join(root, pinFile)) : {};
  const current = currentExports(root);
  const entries = [...new Set([...Object.keys(pinned), ...Object.keys(current)])].sort();
  return entries.flatMap((entry) => {
    const [before, after] = [pinned[entry] ?? [], current[entry] ?? []];
    const lines = [
      ...after.filter((name) => !before.includes(name)).map((name) => `+ ${name}`),
      ...before.filter((name) => !after.includes(name)).map((name) => `- ${name}`),
    ];
    return lines.map((line) => ({
      file: pinFile,
      line: 1,
      message: `${entry}: ${line} (npm run exports pins it)`,
    }));
  });
}

/** Writes the names exported now into the pin. */
export function updateExports(root: string): void {
  writeFileSync(join(root, pinFile), `${JSON.stringify(currentExports(root), null, 2)}\n`);
}

function currentExports(root: string): Pin {
  const names: Record<string, string[]> = {};
  for (const workspace of readWorkspaces(root)) {
    for (const [entry, path] of entryPoints(workspace)) {
      names[entry] = exportedNames(root, path).map(({ name }) => name);
    }
  }
  return names;
}

if (import.meta.main) {
  if (process.argv.includes('--update')) updateExports(repositoryRoot);
  report('exports', checkExports(repositoryRoot));
}
