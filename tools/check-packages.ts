// Tries each published package the way a stranger meets it: packed, linted, installed alone in an empty project,
// imported on the oldest Node that is promised and on the one of this repository, and type-checked; with a program of
// `tools/alone`, if it has one. Then those that are taken together by an application of somebody else. Needs `npm run build` first.
//
// Checking the declarations of a library takes seconds, and nearly all packages bring the same ones. So each is checked
// once, with the packages that no other one depends on; elsewhere what declarations import has to be there.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { linkTree } from './lib/link-tree.ts';
import { type Packed, packWorkspaces } from './lib/pack-workspaces.ts';
import { readLock } from './lib/read-installed.ts';
import {
  entryPoints,
  type Manifest,
  readJson,
  readWorkspaces,
  repositoryRoot,
  type Workspace,
} from './lib/workspace.ts';

/** A packed package: `problems` holds what is wrong with the tarball itself. */
interface Tarball {
  readonly workspace: Workspace;
  readonly file: string;
  readonly problems: readonly string[];
}

/** A node program and its version. */
interface NodeProgram {
  readonly path: string;
  readonly version: string;
}

const execute = promisify(execFile);
const requiredFiles = ['README.md', 'LICENSE'];
const maxOutputBytes = 2 ** 28;
/** What one command may take: a program that waits for what is not there is ended, and shown. */
const mostMs = 300_000;
const install = [
  'install',
  '--prefer-offline',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
];
const tsconfig = {
  compilerOptions: { module: 'nodenext', target: 'es2023', strict: true, outDir: 'out', types: ['node'] },
  include: ['*.ts'],
};

/** A program of `tools/alone` that takes several packages into an application of somebody else. */
interface Combination {
  readonly program: string;
  readonly packages: readonly string[];
  readonly libraries: readonly string[];
  /** Who tries the program; one without tries itself. */
  readonly visit?: Visit;
  /** The program of `tools/alone` that what is installed is held to. */
  readonly counted?: string;
}

/** A visitor of `tools/alone`, and what it is told. */
interface Visit {
  readonly visitor: string;
  readonly args: readonly string[];
}

const hub: Visit = { visitor: 'hub-visitor', args: [] };

/** Whoever has embedded a route, MCP and a camera beside pages. */
function pages(owner: string): Visit {
  return { visitor: 'embed-visitor', args: [`a page of the ${owner}: `] };
}

const parts = {
  program: 'embedded',
  packages: ['@waymark/core-routes', '@waymark/http', '@waymark/mcp'],
};
const embedded = ['@waymark/embed', '@waymark/device-hub', '@waymark/mcp'];
/** What `engines` of all packages promise that are taken together. */
const promisedNode = '>=22.18';
const ownExpress = [ownVersion('express'), ownVersion('@types/express')];
// The major version that most applications still have.
const olderExpress = ['express@4.22.3', ownVersion('@types/express')];
// The oldest that its range allows.
const olderDrizzle = '0.44.0';
/** What is for those who have a library that others need not have is tried with that. */
const withLibraries: readonly string[] = ['@waymark/data/drizzle', '@waymark/server/drizzle'];
const combinations: readonly Combination[] = [
  { ...parts, libraries: ownExpress },
  { ...parts, libraries: olderExpress },
  {
    program: 'hub-node-http',
    packages: ['@waymark/embed', '@waymark/device-hub'],
    libraries: [],
    visit: hub,
    counted: 'hub-dependencies',
  },
  {
    program: 'together',
    packages: ['@waymark/server', '@waymark/mcp', '@waymark/core-routes', '@waymark/contract'],
    libraries: [...ownExpress, ownVersion('typebox')],
    counted: 'server-dependencies',
  },
  { program: 'drizzled', packages: ['@waymark/server'], libraries: [`drizzle-orm@${olderDrizzle}`] },
  { program: 'embed-node-http', packages: embedded, libraries: [], visit: pages('server') },
  { program: 'embed-express', packages: embedded, libraries: ownExpress, visit: pages('application') },
  { program: 'embed-express', packages: embedded, libraries: olderExpress, visit: pages('application') },
  {
    program: 'embed-fastify',
    packages: embedded,
    libraries: [ownVersion('fastify')],
    visit: pages('application'),
  },
];

const scratch = await mkdtemp(join(tmpdir(), 'waymark-packages-'));
/** Where the projects are that take one package each. */
const aloneFolder = join(scratch, 'alone');
/** Where those are that take several. */
const togetherFolder = join(scratch, 'together');
try {
  const published = readWorkspaces(repositoryRoot).filter(({ manifest }) => !manifest.private);
  const tarballs = await pack(published);
  const own: NodeProgram = { path: process.execPath, version: process.version };
  const [oldest, notInstalled, notTogether] = await Promise.all([
    bringOldest(published),
    installAlone(tarballs),
    installTogether(tarballs),
  ]);
  await inParallel([...tarballs.values()], async (tarball) => {
    const { name, engines } = tarball.workspace.manifest;
    const nodes = [...nodesOf(engines?.node, oldest), own];
    const problems = [...tarball.problems, ...notInstalled];
    if (nodes.length < 2) problems.push('says nothing of Node in its engines');
    if (problems.length === 0) problems.push(...(await tryAlone(tarball, tarballs, nodes)));
    for (const problem of problems) console.error(`${name}: ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
    else console.log(`${name}: packed, installed alone, imported on ${named(nodes)}, type-checked`);
  });
  await inParallel(combinations, async (combination) => {
    const { program, libraries } = combination;
    const nodes = [...nodesOf(promisedNode, oldest), own];
    const title = [program, ...libraries].join(' ');
    const problems = [...notTogether];
    if (problems.length === 0) problems.push(...(await tryTogether(combination, nodes)));
    for (const problem of problems) console.error(`${title}: ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
    else console.log(`${title}: installed together, type-checked, runs on ${named(nodes)}`);
  });
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/** Packs all of them, by name. */
async function pack(workspaces: readonly Workspace[]): Promise<ReadonlyMap<string, Tarball>> {
  const packed = await packWorkspaces(workspaces, scratch);
  const tarballs = new Map<string, Tarball>();
  for (const workspace of workspaces) {
    const { name } = workspace.manifest;
    const one = packed.find((entry) => entry.name === name);
    if (!one) throw new Error(`npm pack says nothing of ${name}`);
    tarballs.set(name, await lint(workspace, one));
  }
  return tarballs;
}

async function lint(workspace: Workspace, packed: Packed): Promise<Tarball> {
  const file = join(scratch, packed.filename);
  const tarball = new Uint8Array(await readFile(file)).buffer;
  const { messages } = await publint({ pkgDir: 'package', strict: true, pack: { tarball } });
  const manifest = readJson<Record<string, unknown>>(join(repositoryRoot, workspace.dir, 'package.json'));
  const problems = [
    ...requiredFiles
      .filter((path) => !packed.files.some((entry) => entry.path === path))
      .map((path) => `no ${path}`),
    ...messages.map((message) => formatMessage(message, manifest) ?? message.code),
  ];
  return { workspace, file, problems };
}

/**
 * Makes a project for each tarball, which has it, those it depends on, and nothing else of this repository. npm installs
 * all of them once, each library below whoever asks for it, and a project has the files of what it takes once more, by
 * another name: no project sees what another one has.
 */
async function installAlone(tarballs: ReadonlyMap<string, Tarball>): Promise<string[]> {
  const dir = join(scratch, 'installed');
  const modules = join(dir, 'node_modules');
  await writeManifest(dir, {
    dependencies: toFiles(tarballs.keys(), tarballs),
    devDependencies: toVersions([ownVersion('@types/node')]),
  });
  const problems = await firstFailure([['npm', [...install, '--install-strategy=nested'], dir]]);
  if (problems.length > 0) return problems;
  linkTree(join(modules, '@types'), join(aloneFolder, 'node_modules', '@types'));
  for (const name of tarballs.keys()) {
    const project = join(aloneFolder, folderOf(name));
    await writeManifest(project, {});
    for (const one of internalClosure(name, tarballs))
      linkTree(join(modules, one), join(project, 'node_modules', one));
  }
  return [];
}

/**
 * Makes a project for each combination. npm installs all of them at once, and takes nothing above the folder of a project:
 * each has what it would have if it were the only one.
 */
async function installTogether(tarballs: ReadonlyMap<string, Tarball>): Promise<string[]> {
  for (const combination of combinations) {
    const { packages, libraries } = combination;
    const names = new Set(packages.flatMap((name) => [...internalClosure(name, tarballs)]));
    const dir = togetherOf(combination);
    await writeManifest(dir, {
      ...{ name: basename(dir), version: '1.0.0', dependencies: toFiles(names, tarballs) },
      // What its author brings along is kept apart from what our packages bring.
      devDependencies: toVersions([...libraries, ownVersion('@types/node')]),
    });
  }
  await writeManifest(togetherFolder, { workspaces: ['*'] });
  const args = [...install, '--install-strategy=shallow'];
  const problems = await firstFailure([['npm', args, togetherFolder]]);
  return problems.length > 0 ? problems : sharedByProjects(togetherFolder);
}

/** What npm has put where several projects see it. */
function sharedByProjects(folder: string): string[] {
  return Object.entries(readLock(folder))
    .filter(([path, { link }]) => path.startsWith('node_modules/') && !link)
    .map(([path]) => `${path} is seen by all projects`);
}

async function writeManifest(dir: string, manifest: object): Promise<void> {
  await mkdir(dir, { recursive: true });
  const text = JSON.stringify({ private: true, type: 'module', ...manifest });
  await writeFile(join(dir, 'package.json'), text);
}

/** Packages of this repository, as a manifest has their tarballs. */
function toFiles(
  names: Iterable<string>,
  tarballs: ReadonlyMap<string, Tarball>,
): Readonly<Record<string, string>> {
  return Object.fromEntries([...names].map((name) => [name, `file:${tarballs.get(name)?.file}`]));
}

function folderOf(name: string): string {
  return name.replace('@waymark/', '');
}

function togetherOf({ program, libraries }: Combination): string {
  return join(togetherFolder, [program, ...libraries].join('-').replace(/[^\w.-]/g, '-'));
}

/** Tries a package in the project that has nothing else. */
async function tryAlone(
  { workspace }: Tarball,
  tarballs: ReadonlyMap<string, Tarball>,
  nodes: readonly NodeProgram[],
): Promise<string[]> {
  const { name } = workspace.manifest;
  const checked = ![...tarballs.values()].some(
    (other) => other.workspace.manifest.dependencies?.[name] !== undefined,
  );
  // The package itself is the first.
  const reached = [...internalClosure(name, tarballs)].flatMap((one) => {
    const tarball = tarballs.get(one);
    return tarball ? [...entryPoints(tarball.workspace).keys()] : [];
  });
  // A program of somebody who takes this package and nothing else, for those that are meant to be taken alone.
  const program = programFile(folderOf(name));
  return tryPrograms({
    dir: join(aloneFolder, folderOf(name)),
    programs: {
      consumer: importAll(checked ? reached : [...entryPoints(workspace).keys()]),
      ...(existsSync(program) && { program: await readFile(program, 'utf8') }),
    },
    checked,
    nodes,
  });
}

/** A program that imports each of the entries. */
function importAll(entries: readonly string[]): string {
  const alone = entries.filter((entry) => !withLibraries.includes(entry));
  return alone.map((entry, i) => `import * as entry${i} from '${entry}';\nvoid entry${i};\n`).join('');
}

/** Tries a program in the project that has what it takes together, with the libraries of its author. */
async function tryTogether(combination: Combination, nodes: readonly NodeProgram[]): Promise<string[]> {
  const { program, visit, counted } = combination;
  return tryPrograms({
    dir: togetherOf(combination),
    programs: { [program]: await readFile(programFile(program), 'utf8') },
    checked: false,
    ...(visit && { visit }),
    ...(counted !== undefined && { counted }),
    nodes,
  });
}

/** A project of somebody else, in which everything is installed. */
interface Project {
  readonly dir: string;
  /** Sources by name, without the ending. */
  readonly programs: Readonly<Record<string, string>>;
  /** Whether the declarations that it takes in are checked, too. */
  readonly checked: boolean;
  readonly visit?: Visit;
  readonly counted?: string;
  readonly nodes: readonly NodeProgram[];
}

/** Type-checks and runs. */
async function tryPrograms({ dir, programs, checked, visit, counted, nodes }: Project): Promise<string[]> {
  await writeFile(join(dir, 'tsconfig.json'), JSON.stringify(tsconfig));
  for (const [name, source] of Object.entries(programs)) await writeFile(join(dir, `${name}.ts`), source);
  const problems = await typeCheck(dir, checked);
  if (problems.length > 0) return problems;
  return firstFailure([
    ...(counted === undefined ? [] : [[process.execPath, [programFile(counted)], dir] as const]),
    ...nodes.flatMap(({ path }) =>
      Object.keys(programs).map((name) => {
        const program = `out/${name}.js`;
        return visit
          ? ([process.execPath, [programFile(visit.visitor), ...visit.args, path, program], dir] as const)
          : ([path, [program], dir] as const);
      }),
    ),
  ]);
}

/** Type-checks the programs of a project, and the declarations that it takes in or only what those import. */
async function typeCheck(dir: string, declarations: boolean): Promise<string[]> {
  const tsc = join(repositoryRoot, 'node_modules/.bin/tsc');
  if (declarations) return firstFailure([[tsc, ['-p', '.'], dir]]);
  const args = ['-p', '.', '--skipLibCheck', '--traceResolution'];
  try {
    const { stdout } = await execute(tsc, args, { cwd: dir, maxBuffer: maxOutputBytes });
    return unresolved(stdout)
      .filter((name) => !isBuiltin(name))
      .map((name) => `a declaration imports ${name}, which is not there`);
  } catch (error) {
    const { stdout = String(error) } = error as { stdout?: string }; // what execFile rejects with
    return [`tsc failed\n${stdout.replace(/^(?!.*error TS).*\n/gm, '')}`];
  }
}

/** What is asked for and is not there, in a trace of the compiler. What a library asks for is its own affair. */
function unresolved(trace: string): readonly string[] {
  const missing = [...trace.matchAll(/Module name '(.+)' was not resolved/g)].map(([, name = '']) => name);
  const asked = [...trace.matchAll(/Resolving module '(.+)' from '(.+)'/g)].flatMap(
    ([, name = '', asker = '']) => (/node_modules\/(?!@waymark\/)/.test(asker) ? [] : [name]),
  );
  return [...new Set(missing)].filter((name) => asked.includes(name));
}

/** A program of `tools/alone`. */
function programFile(name: string): string {
  return join(repositoryRoot, 'tools', 'alone', `${name}.ts`);
}

/** `express@5.3.0` as a manifest has it. */
function toVersions(libraries: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    libraries.map((library) => {
      const at = library.lastIndexOf('@');
      return [library.slice(0, at), library.slice(at + 1)];
    }),
  );
}

/** A library at the version that this repository has. */
function ownVersion(name: string): string {
  const { version } = readJson<Manifest>(join(repositoryRoot, 'node_modules', name, 'package.json'));
  return `${name}@${version}`;
}

/** The package and every package of this repository that it reaches through its dependencies. */
function internalClosure(
  name: string,
  tarballs: ReadonlyMap<string, Tarball>,
  seen = new Set<string>(),
): Set<string> {
  const tarball = tarballs.get(name);
  if (!tarball || seen.has(name)) return seen;
  seen.add(name);
  for (const next of Object.keys(tarball.workspace.manifest.dependencies ?? {}))
    internalClosure(next, tarballs, seen);
  return seen;
}

async function firstFailure(
  commands: readonly (readonly [string, readonly string[], string])[],
): Promise<string[]> {
  for (const [program, args, cwd] of commands) {
    try {
      await execute(program, [...args], { cwd, timeout: mostMs });
    } catch (error) {
      const { stdout, stderr } = error as { stdout?: string; stderr?: string }; // what execFile rejects with
      return [`${program} ${args[0]} failed\n${stdout ?? ''}${stderr ?? String(error)}`];
    }
  }
  return [];
}

/** Brings the oldest node of each range that `engines` have, such as `>=22.18`: no machine has all of them. */
async function bringOldest(workspaces: readonly Workspace[]): Promise<ReadonlyMap<string, NodeProgram>> {
  const ranges = new Set(workspaces.map(({ manifest }) => manifest.engines?.node ?? ''));
  const oldest = [...ranges]
    .filter((range) => range !== '')
    .map((range) => [range, oldestOf(range)] as const);
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${system}-${process.arch}`;
  const program = `package/bin/${process.platform === 'win32' ? 'node.exe' : 'node'}`;
  const specs = oldest.map(([, version]) => `${name}@${version}`);
  await execute('npm', ['pack', '--prefer-offline', '--loglevel=error', ...specs], { cwd: scratch });
  const bring = async ([range, version]: readonly [string, string]): Promise<
    readonly [string, NodeProgram]
  > => {
    const dir = join(scratch, `node-${version}`);
    await mkdir(dir);
    // Of what comes with it, thousands of files, nothing is needed.
    await execute('tar', ['-xzf', `../${name}-${version}.tgz`, program], { cwd: dir });
    const path = join(dir, program);
    const { stdout } = await execute(path, ['--version']);
    return [range, { path, version: stdout.trim() }];
  };
  return new Map(await Promise.all(oldest.map(bring)));
}

/** The oldest version of a range. */
function oldestOf(range: string): string {
  const [major, minor = '0'] = range.replace('>=', '').split('.');
  return `${major}.${minor}.0`;
}

function nodesOf(range = '', oldest: ReadonlyMap<string, NodeProgram>): readonly NodeProgram[] {
  const node = oldest.get(range);
  return node ? [node] : [];
}

function named(nodes: readonly NodeProgram[]): string {
  return nodes.map(({ version }) => version).join(' and ');
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}
