import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of a package.json that the checks read. */
export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly version?: string;
  readonly engines?: { readonly node?: string };
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** One workspace: `dir` is relative to the root, with forward slashes. */
export interface Workspace {
  readonly dir: string;
  readonly manifest: Manifest;
}

/** One thing to put right, at a place a reader can open. */
export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

const skipped = new Set(['node_modules', 'dist', 'coverage']);

/** Absolute path of the repository, without a trailing slash. */
export const repositoryRoot: string = join(import.meta.dirname, '../..');

/** Parses a JSON file. */
export function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}

/** Lists the workspaces of the root manifest in alphabetical order; knows the globs `name` and `name/*`. */
export function readWorkspaces(root: string): Workspace[] {
  const { workspaces = [] } = readJson<{ workspaces?: string[] }>(join(root, 'package.json'));
  return workspaces
    .flatMap((glob) => (glob.endsWith('/*') ? subfolders(root, glob.slice(0, -2)) : [glob]))
    .filter((dir) => existsSync(join(root, dir, 'package.json')))
    .sort()
    .map((dir) => ({ dir, manifest: readJson<Manifest>(join(root, dir, 'package.json')) }));
}

/** Lists the TypeScript files under a folder, relative to the root; dependencies, build output and hidden folders are left out. */
export function sourceFiles(root: string, dir: string): string[] {
  if (!existsSync(join(root, dir))) return [];
  return readdirSync(join(root, dir), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${dir}/${entry.name}`;
      if (entry.isDirectory()) return isSkipped(entry.name) ? [] : sourceFiles(root, path);
      return /\.(?:m?ts|tsx)$/.test(entry.name) ? [path] : [];
    });
}

/** What is written beside the sources and is none of them; tests hide what they write, and take it away again. */
function isSkipped(folder: string): boolean {
  return skipped.has(folder) || folder.startsWith('.');
}

/** Source file of each TypeScript entry point: `@scope/name` or `@scope/name/sub` to a path relative to the root. */
export function entryPoints({ dir, manifest }: Workspace): Map<string, string> {
  const entries = new Map<string, string>();
  for (const [key, target] of Object.entries(manifest.exports ?? {})) {
    const source = typeof target === 'object' ? target['@waymark/source'] : undefined;
    if (source) entries.set(manifest.name + key.slice(1), join(dir, source));
  }
  return entries;
}

/** Prints the findings, one clickable line each, and sets the exit code. */
export function report(check: string, findings: readonly Finding[]): void {
  for (const { file, line, message } of findings) console.error(`${file}:${line} ${message}`);
  console.log(`${check}: ${findings.length === 0 ? 'ok' : `${findings.length} to put right`}`);
  if (findings.length > 0) process.exitCode = 1;
}

function subfolders(root: string, dir: string): string[] {
  if (!existsSync(join(root, dir))) return [];
  return readdirSync(join(root, dir))
    .map((name) => `${dir}/${name}`)
    .filter((path) => statSync(join(root, path)).isDirectory());
}
