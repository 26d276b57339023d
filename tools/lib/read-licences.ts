import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from './workspace.ts';

interface Library {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** The licences of all libraries that modules are of, each once, with its name and version. @throws where one has none */
export function readLicences(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []));
  // A library may lie in several folders.
  return [...new Set([...folders].sort().map(readLicence))].join('\n\n');
}

function readLicence(folder: string): string {
  const { name, version, license } = readJson<Library>(join(folder, 'package.json'));
  const [file] = globSync('{licen[cs]e,LICEN[CS]E,Licen[cs]e}{,-MIT,.MIT}{,.md,.txt}', { cwd: folder });
  // Ours is the same, and its text lies beside.
  if (file === undefined && license === 'Apache-2.0')
    return `${name}@${version}\n\nApache-2.0: see LICENSE\n`;
  if (file === undefined) throw new Error(`${folder} has no licence that could go along`);
  return `${name}@${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
