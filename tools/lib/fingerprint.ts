import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readWorkspaces, type Workspace } from './workspace.ts';

/** A published package whose sources are not those that were built. */
export interface StalePackage {
  readonly dir: string;
  /** What tells its sources from other ones. */
  readonly print: string;
}

/** What every package is built with. */
const common = [
  'package-lock.json',
  'tsconfig.base.json',
  'tsconfig.build.base.json',
  'tools/lib/bundle-package.ts',
];

/** The packages of which something else was built, or nothing. @param name what builds were kept as by `keepFresh` */
export function findStale(root: string, name: string): readonly StalePackage[] {
  const known = readFingerprints(root, name);
  return readWorkspaces(root)
    .filter(({ manifest }) => !manifest.private)
    .map((workspace) => ({ ...workspace, print: fingerprint(root, workspace.dir) }))
    .filter((one) => known[one.dir] !== one.print || !isBuilt(root, one))
    .map(({ dir, print }) => ({ dir, print }));
}

/** Keeps that these were built as they are now. */
export function keepFresh(root: string, name: string, built: readonly StalePackage[]): void {
  const file = toFile(root, name);
  const known = { ...readFingerprints(root, name) };
  for (const { dir, print } of built) known[dir] = print;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(known));
}

/** By names, times and sizes: to read all of it takes longer than to build what a new time says of an old text. */
function fingerprint(root: string, dir: string): string {
  const sources = readdirSync(join(root, dir, 'src'), { recursive: true, encoding: 'utf8' });
  const own = ['package.json', 'tsconfig.build.json', ...sources.sort().map((file) => join('src', file))];
  const digest = createHash('sha256');
  for (const file of [...common, ...own.map((one) => join(dir, one))]) {
    const stats = statSync(join(root, file), { throwIfNoEntry: false });
    digest.update(`${file}\0${stats?.mtimeMs}\0${stats?.size}\n`);
  }
  return digest.digest('hex');
}

/** Nobody has taken it away since. */
function isBuilt(root: string, { dir, manifest }: Workspace): boolean {
  return Object.values(manifest.exports ?? {}).every(
    (target) => typeof target === 'string' || existsSync(join(root, dir, target['default'] ?? '')),
  );
}

function readFingerprints(root: string, name: string): Readonly<Record<string, string>> {
  const file = toFile(root, name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {};
}

function toFile(root: string, name: string): string {
  return join(root, 'node_modules/.cache', `${name}.json`);
}
