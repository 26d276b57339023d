import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** From nothing to an answer over HTTP, over MCP and through the typed client. */
const promisedMs = 60_000;

let folder: string;
let tarballs: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'first-minute-'));
  tarballs = join(folder, 'tarballs');
  mkdirSync(tarballs);
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  execFileSync(tsc, ['-b', 'apps/server/tsconfig.build.json'], { cwd: root });
  const packages = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name));
  for (const cwd of [join(root, 'apps', 'server'), ...packages])
    execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', tarballs], {
      cwd,
      stdio: 'ignore',
    });
  // Installs the command line, and with it npm's cache gets what every new application needs.
  const first = join(root, 'apps', 'server', 'bin', 'waymark.js');
  execFileSync(process.execPath, [first, 'new', join(folder, 'tools'), '--source', tarballs]);
  const install = ['install', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', install, { cwd: join(folder, 'tools'), env: environment() });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A machine with node and npm, and nothing of this repository on the path. */
function environment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((part) => !part.includes('node_modules'));
  // How this machine reaches the registry.
  const { HOME, npm_config_registry, NODE_EXTRA_CA_CERTS } = process.env;
  return {
    ...{ HOME, npm_config_registry, NODE_EXTRA_CA_CERTS, CI: '1', npm_config_cache: join(folder, 'cache') },
    // One that runs TypeScript as it is.
    PATH: [dirname(process.execPath), ...path].join(delimiter),
    ...extra,
  };
}

/** Runs a command to its end; npm fails rather than ask the registry. */
function offline(cwd: string, command: string, ...argv: readonly string[]): string {
  const env = environment({ npm_config_offline: 'true' });
  return execFileSync(command, argv, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Serves with `npm run dev` until the test is over. @returns the address */
async function serve(cwd: string): Promise<string> {
  const env = environment({ npm_config_offline: 'true', PORT: '0' });
  const child = spawn('npm', ['run', 'dev'], { cwd, env, detached: true });
  onTestFinished(() => void process.kill(-(child.pid ?? 0), 'SIGTERM'));
  let said = '';
  return new Promise((resolve, reject) => {
    const look = (text: Buffer): void => {
      said += text.toString();
      const [, url] = /url +(http:\S+)/.exec(said) ?? [];
      if (url !== undefined) resolve(url);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('close', (code) => reject(new Error(`npm run dev ended with ${code}:\n${said}`)));
  });
}

/** What somebody writes first who has the client. */
const program = `import { createClient } from './client.ts';

const desk = createClient({ baseUrl: process.argv[2] ?? '' });
const { text } = await desk.greet({ name: 'Ada', loud: true });
console.log(text.toLowerCase());
`;

describe('the first minute, offline', () => {
  it('is enough for an answer over HTTP, over MCP and through the typed client, in three commands', async () => {
    verifies('cli.new', 'cli.dev', 'cli.call', 'cli.typegen');
    const took: string[] = [];
    const startedMs = performance.now();
    let lapMs = startedMs;
    const lap = (what: string): void => {
      const nowMs = performance.now();
      took.push(`${what} ${((nowMs - lapMs) / 1000).toFixed(1)} s`);
      lapMs = nowMs;
    };
    const desk = join(folder, 'desk');
    const said = offline(join(folder, 'tools'), 'npx', 'waymark', 'new', desk, '--source', tarballs, '--yes');
    expect(said).toContain(`cd ${desk} && npm install\n  npm run dev\n`);
    lap('new');
    offline(desk, 'npm', 'install', '--no-audit', '--no-fund', '--loglevel=error');
    lap('npm install');
    const url = await serve(desk);
    lap('npm run dev');
    const response = await fetch(`${url}/greetings/Ada`);
    expect(await response.json()).toEqual({ text: 'Hello, Ada.' });
    lap('curl');
    const called = offline(desk, 'npx', 'waymark', 'call', 'greet', '--name', 'Ada', '--url', url);
    expect(JSON.parse(called)).toEqual({ text: 'Hello, Ada.' });
    lap('MCP call');
    offline(desk, 'npx', 'waymark', 'typegen', '--out', 'client.ts');
    writeFileSync(join(desk, 'program.ts'), program);
    expect(offline(desk, 'node', 'program.ts', url)).toBe('hello, ada.\n');
    lap('typed client call');
    const tookMs = performance.now() - startedMs;
    console.log(`first minute: ${(tookMs / 1000).toFixed(1)} s: ${took.join(', ')}`);
    expect(tookMs).toBeLessThan(promisedMs);
    // Nothing of it is only for show.
    offline(desk, 'npm', 'test');
    expect(offline(desk, 'npm', 'run', 'check')).toContain('0 problems');
  });
});
