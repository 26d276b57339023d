import { execFile, execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** The lines of the README that lead to an application of one's own. */
export interface ReadmeLines {
  /** In the clone: packs what the application is made of, and writes it. */
  readonly pack: string;
  readonly create: string;
  /** Beside it: installs and serves. */
  readonly serve: string;
  /** In a second terminal, in the folder of the application. */
  readonly call: string;
}

/** Reads them. @throws {Error} the README has other ones */
export function readmeLines(): ReadmeLines {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [, section = ''] = /^## Write your own\n([\s\S]*?)^```ts/m.exec(readme) ?? [];
  const [pack, create, serve, call, more] = [...section.matchAll(/^ {4}(\S.*)$/gm)].map(([, line]) => line);
  if (pack === undefined || create === undefined || serve === undefined || call === undefined || more)
    throw new Error(`the README has other lines than these four: ${section}`);
  return { pack, create, serve, call };
}

/**
 * The environment of somebody whose machine has the Node that the README promises, and nothing of this repository.
 *
 * @param node folder of that Node, before everything else
 */
export function newcomer(node: string, extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((part) => !part.includes('node_modules'));
  // How this machine reaches the registry.
  const { HOME, npm_config_registry, npm_config_cache, NODE_EXTRA_CA_CERTS } = process.env;
  return {
    ...{ HOME, npm_config_registry, npm_config_cache, NODE_EXTRA_CA_CERTS },
    ...{ CI: '1', NO_COLOR: '1', npm_config_prefer_offline: 'true', npm_config_loglevel: 'error' },
    PATH: [node, ...path].join(delimiter),
    ...extra,
  };
}

/** The folder of the oldest Node on this machine: its own, where that is older than the one of this repository. */
export function machineNode(): string {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((part) => !part.includes('node_modules'));
  const env = { PATH: path.join(delimiter) };
  const script = 'process.stdout.write(process.execPath)';
  try {
    return dirname(execFileSync('node', ['-e', script], { env, encoding: 'utf8' }));
  } catch {
    return dirname(process.execPath);
  }
}

/** Runs a line to its end. @returns what it printed */
export async function sh(line: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const ended = promisify(execFile)('sh', ['-c', line], { cwd, env, timeout: patienceMs });
  ended.child.stdin?.end();
  const { stdout } = await ended.catch((error: unknown) => {
    const { stdout, stderr } = error as { stdout: string; stderr: string }; // what execFile rejects with
    throw new Error(`${line} failed\n${stdout}${stderr}`, { cause: error });
  });
  return stdout;
}

/** No line takes that long, a download excepted. */
const patienceMs = 5 * 60_000;

/** A server that a line serves, and what it has said. */
export interface Served {
  readonly url: string;
  /** The lines of its first screen. */
  readonly screen: readonly string[];
}

/** Runs a line that serves, on a free port, until the test is over. */
export async function serve(line: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Served> {
  const child = spawn('sh', ['-c', line], { cwd, env: { ...env, PORT: '0' }, detached: true });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  onTestFinished(async () => {
    // The group: the shell, npm, and what it started.
    if (child.exitCode === null) process.kill(-(child.pid ?? 0), 'SIGTERM');
    await gone;
  });
  let said = '';
  return new Promise((resolve, reject) => {
    const look = (text: Buffer): void => {
      said += text.toString();
      const [screen] = /^.* is ready in \d+ ms\n(?: {2}.*\n)+/m.exec(said) ?? [];
      const [, url] = /^ {2}url +(http:\S+)$/m.exec(screen ?? '') ?? [];
      if (screen !== undefined && url !== undefined) resolve({ url, screen: screen.trimEnd().split('\n') });
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('close', (code) => reject(new Error(`${line} ended with ${code}:\n${said}`)));
  });
}

/** The rows that lines take in a terminal of 80 columns. */
export function rowsOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 80)), 0);
}

/** Lets an application bring another Node than it was written with. */
export function bringNode(folder: string, version: string): void {
  const file = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { devDependencies: Record<string, string> };
  manifest.devDependencies['node'] = version;
  writeFileSync(file, JSON.stringify(manifest, null, 2));
}
