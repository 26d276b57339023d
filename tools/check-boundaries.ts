// Holds the layers of ARCHITECTURE.md: who may import whom, and who owns which third-party library.
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { lineAt, type ModuleRequest, moduleRequests, parseFile } from './lib/parse.ts';
import {
  type Finding,
  type Manifest,
  readWorkspaces,
  report,
  repositoryRoot,
  sourceFiles,
  type Workspace,
} from './lib/workspace.ts';

/**
 * Folders that may import a third-party library; a library without a row is refused: a new one is a decision.
 *
 * A row `name/*` is for the library's subpaths, where they have other owners than the library itself.
 */
const owners: Readonly<Record<string, readonly string[]>> = {
  '@opentelemetry/api': ['packages/models'],
  '@preact/signals': ['packages/console'],
  '@libsql/client': ['packages/data'],
  citty: ['apps/server'],
  // Of those that people install: what an application imports is handed on.
  'drizzle-orm': ['packages/data', 'apps/server'],
  express: ['apps/server'],
  'find-my-way': ['packages/core-routes'],
  handlebars: ['packages/pages'],
  'ipaddr.js': ['packages/http'],
  jose: ['packages/auth'],
  'json-rpc-2.0': ['packages/mcp'],
  jsonwebtoken: ['packages/auth'],
  'lru-cache': ['packages/http'],
  // The generator holds the client's runtime as code, and only reads it.
  ky: ['packages/client', 'packages/client-gen'],
  'pino-std-serializers': ['packages/http'],
  preact: ['packages/console'],
  'preact/*': ['packages/console'],
  'secure-json-parse': ['packages/core-routes'],
  send: ['packages/pages'],
  // The reference application has a receiver of its own.
  standardwebhooks: ['packages/outbox', 'apps/server'],
  typebox: ['packages/contract'],
  'typebox/*': ['packages/contract', 'packages/core-routes'],
  ulid: ['packages/core-routes'],
  undici: ['packages/http'],
  uplot: ['packages/console'],
  ws: ['packages/http'],
};

/** Ours without a scope: `npm create waymark` looks for that name. */
const unscoped = 'create-waymark';

/** Declared once, in the root manifest, and allowed in everybody's tests. */
const testLibraries = new Set(['fast-check', 'vitest']);

/** What a workspace may import of its siblings; `tests` says whether the importing file is outside `src`. */
const layers: Readonly<Record<Layer, (name: string, tests: boolean) => boolean>> = {
  contract: () => false,
  client: () => false,
  feature: (name, tests) =>
    name === '@waymark/contract' ||
    (name.startsWith('@waymark/contract/') && (tests || name !== '@waymark/contract/testing')) ||
    // The one stand-in there is; whoever asks models is tested against it.
    (tests && name === '@waymark/model-simulator'),
  // The other way to compose, for servers that are there already: nothing that they do not need.
  embed: (name, tests) =>
    ['@waymark/core-routes', '@waymark/http'].includes(name) || layers.feature(name, tests),
  app: () => true,
  e2e: () => true,
};

/**
 * What a folder may import besides. Pages for browsers are bundled with the runtime of clients, so that they talk to a
 * server as every other client does: nothing of it is imported where the package runs.
 */
const bundled: Readonly<Record<string, readonly string[]>> = {
  'packages/console/browser/': ['@waymark/client-gen/runtime'],
  'packages/console/test/': ['@waymark/client-gen/runtime'],
  'packages/device-hub/browser/': ['@waymark/client-gen/runtime'],
};

type Layer = 'contract' | 'client' | 'feature' | 'embed' | 'app' | 'e2e';

/** Every import and every dependency that crosses a line; empty when the house is in order. */
export function checkBoundaries(root: string): Finding[] {
  const workspaces = readWorkspaces(root);
  return [
    ...workspaces.flatMap((workspace) => checkManifest(root, workspace)),
    ...workspaces.flatMap((workspace) =>
      sourceFiles(root, workspace.dir).flatMap((path) => checkFile(root, path, workspace, workspaces)),
    ),
    ...findCycles(root, workspaces),
  ];
}

function checkManifest(root: string, { dir, manifest }: Workspace): Finding[] {
  if (layerOf(dir) === 'e2e') return [];
  const file = `${dir}/package.json`;
  const text = readFileSync(join(root, file), 'utf8');
  const at = (name: string, message: string): Finding => ({
    file,
    line: lineAt(text, text.lastIndexOf(`"${name}":`)),
    message,
  });
  return Object.keys(allDependencies(manifest)).flatMap((name) => {
    if (isOurs(name)) {
      if (manifest.devDependencies?.[name] !== undefined && isBundled(name, dir)) return [];
      return layers[layerOf(dir)](name, true) ? [] : [at(name, `${layerOf(dir)} must not depend on ${name}`)];
    }
    const library = name.startsWith('@types/') ? name.slice('@types/'.length) : name;
    if (library === 'node' || testLibraries.has(library)) return [];
    const owned = Object.keys(owners).filter((row) => packageName(row) === library);
    if (owned.length === 0) return [at(name, noOwner(name))];
    return owned.some((row) => owners[row]?.includes(dir)) ? [] : [at(name, wrongOwner(library, dir))];
  });
}

function checkFile(root: string, path: string, workspace: Workspace, all: readonly Workspace[]): Finding[] {
  return moduleRequests(parseFile(root, path)).flatMap((request) => {
    const message = judge(request, path, workspace, all);
    return message === undefined ? [] : [{ file: path, line: request.line, message }];
  });
}

function judge(
  { specifier }: ModuleRequest,
  path: string,
  { dir, manifest }: Workspace,
  all: readonly Workspace[],
): string | undefined {
  const layer = layerOf(dir);
  const tests = !path.startsWith(`${dir}/src/`) && !path.startsWith(`${dir}/example/`);
  const name = packageName(specifier);
  // What is written into the application of somebody else imports what that one installs.
  if (path.startsWith(`${dir}/templates/`) && !specifier.startsWith('.')) return undefined;

  if (specifier.startsWith('.')) {
    const target = join(dirname(path), specifier);
    // The reference application is what e2e is about, and no package: it has no name to be imported by.
    const inside =
      target.startsWith(`${dir}/`) ||
      (layer === 'e2e' && !/^(packages|apps\/(?!server\/example\/))/.test(target));
    return inside ? undefined : `relative import leaves the package: ${specifier}`;
  }
  if (isBuiltin(specifier)) {
    const pure = layer === 'contract' && !tests && !path.startsWith(`${dir}/src/testing/`);
    return pure ? `contract does no I/O: ${specifier} is allowed in src/testing only` : undefined;
  }
  if (isOurs(specifier)) {
    const sibling = all.find((workspace) => workspace.manifest.name === name);
    if (!sibling) return `unknown package ${name}`;
    if (!(`.${specifier.slice(name.length)}` in (sibling.manifest.exports ?? {}))) {
      return `deep import: ${specifier} is not exported by ${name}`;
    }
    if (name === manifest.name) return undefined;
    if (mayBundle(specifier, path)) return undefined;
    if (!layers[layer](specifier, tests)) return `${layer} must not import ${specifier}`;
  } else if (tests && testLibraries.has(name)) {
    return undefined;
  } else if (layer !== 'e2e') {
    const row = specifier !== name && `${name}/*` in owners ? `${name}/*` : name;
    if (!(row in owners)) return noOwner(name);
    if (!owners[row]?.includes(dir)) return wrongOwner(row, dir);
  }
  // An example is not published, so it may use what only development has; and a library that only development has is
  // taken into what is built (`tools/bundle.ts`).
  const development = tests || path.startsWith(`${dir}/example/`) || !isOurs(specifier);
  const declared = development ? allDependencies(manifest) : runtimeDependencies(manifest);
  return name in declared || `@types/${name}` in declared
    ? undefined
    : `${name} is not declared in ${dir}/package.json`;
}

/** Circles in the graph of manifests, each reported once, at the package where the walk met it again. */
function findCycles(root: string, workspaces: readonly Workspace[]): Finding[] {
  const byName = new Map(workspaces.map((workspace) => [workspace.manifest.name, workspace]));
  const done = new Set<string>();
  const findings: Finding[] = [];
  const walk = (name: string, trail: readonly string[]): void => {
    const workspace = byName.get(name);
    if (!workspace || done.has(name)) return;
    if (trail.includes(name)) {
      const file = `${workspace.dir}/package.json`;
      const circle = [...trail.slice(trail.indexOf(name)), name].join(' → ');
      const line = lineAt(readFileSync(join(root, file), 'utf8'), 0);
      findings.push({ file, line, message: `packages depend on each other in a circle: ${circle}` });
      return;
    }
    for (const next of Object.keys(allDependencies(workspace.manifest))) walk(next, [...trail, name]);
    done.add(name);
  };
  for (const { manifest } of workspaces) walk(manifest.name, []);
  return findings;
}

/** Whether a name, or what is imported of it, is of this repository. */
function isOurs(specifier: string): boolean {
  return specifier.startsWith('@waymark/') || packageName(specifier) === unscoped;
}

/** Whether a file is of a folder that may import this although its layer may not. */
function mayBundle(specifier: string, path: string): boolean {
  return Object.entries(bundled).some(
    ([folder, names]) => path.startsWith(folder) && names.includes(specifier),
  );
}

/** Whether a package is there to be bundled with a folder of a workspace. */
function isBundled(name: string, dir: string): boolean {
  return Object.entries(bundled).some(
    ([folder, names]) => folder.startsWith(`${dir}/`) && names.some((one) => packageName(one) === name),
  );
}

function layerOf(dir: string): Layer {
  if (dir === 'packages/contract') return 'contract';
  if (dir === 'packages/client') return 'client';
  if (dir === 'packages/embed') return 'embed';
  if (dir.startsWith('apps/')) return 'app';
  return dir.startsWith('packages/') ? 'feature' : 'e2e';
}

function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function runtimeDependencies(manifest: Manifest): Readonly<Record<string, string>> {
  return { ...manifest.optionalDependencies, ...manifest.peerDependencies, ...manifest.dependencies };
}

function allDependencies(manifest: Manifest): Readonly<Record<string, string>> {
  return { ...manifest.devDependencies, ...runtimeDependencies(manifest) };
}

function noOwner(library: string): string {
  return `${library} has no owner: add a row to the table in tools/check-boundaries.ts`;
}

function wrongOwner(library: string, dir: string): string {
  return `${library} belongs to ${owners[library]?.join(', ') ?? 'nobody'}, not to ${dir}`;
}

if (import.meta.main) report('boundaries', checkBoundaries(repositoryRoot));
