import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { templateNames } from 'create-waymark';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bringNode, machineNode, newcomer, readmeLines, rowsOf, serve, sh } from '../test/newcomer.ts';
import { ownCache, startRegistry } from '../test/package-registry.ts';

/** What the README promises for each of its two commands, most of it the download. */
const promisedMs = 3 * 60_000;

let folder: string;
let clone: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'newcomer-'));
  clone = join(folder, 'waymark');
  execFileSync('git', ['clone', '--quiet', join(import.meta.dirname, '..', '..'), clone]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The environment of somebody with node and npm and nothing of ours: no tools on the path, an empty npm cache. */
function bareEnvironment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((part) => !part.includes('node_modules'));
  const { HOME, npm_config_registry } = process.env;
  return {
    HOME,
    PATH: path.join(delimiter),
    npm_config_registry,
    npm_config_cache: join(folder, 'empty-cache'),
    CI: '1',
    ...extra,
  };
}

describe('a fresh clone on a machine with only node and npm', () => {
  it('serves the reference application after `npm start`', async () => {
    const startedMs = performance.now();
    const child = spawn('npm', ['start'], {
      cwd: clone,
      env: bareEnvironment({ PORT: '0' }),
      detached: true,
    });
    let said = '';
    const url = await new Promise<string>((resolve, reject) => {
      const look = (text: Buffer): void => {
        said += text.toString();
        const [, found] = /url +(http:\S+)/.exec(said) ?? [];
        if (found !== undefined) resolve(found);
      };
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      child.once('close', (code) => reject(new Error(`npm start ended with ${code}:\n${said}`)));
    });
    const tookMs = performance.now() - startedMs;
    console.log(`npm start: ${Math.round(tookMs / 1000)} s to the first screen`);
    expect(await (await fetch(`${url}/_svc/health`)).json()).toMatchObject({
      status: 'ok',
      app: 'support-desk',
    });
    // The group: npm, its shell and the server.
    process.kill(-(child.pid ?? 0), 'SIGTERM');
    expect(tookMs).toBeLessThan(3 * promisedMs);
  });

  it('passes its tests with `npm test`, the last line counting them', () => {
    const startedMs = performance.now();
    // From nothing once more: the first command must not have done the second one's set-up.
    rmSync(join(clone, 'node_modules'), { recursive: true });
    const said = execFileSync('npm', ['test'], {
      cwd: clone,
      env: bareEnvironment(),
      encoding: 'utf8',
      maxBuffer: 1e9,
    });
    const tookMs = performance.now() - startedMs;
    const [last = ''] = said.trimEnd().split('\n').slice(-1);
    console.log(`npm test: ${Math.round(tookMs / 1000)} s, ${last}`);
    expect(last).toMatch(/^\d+ passed, 0 failed/);
    expect(tookMs).toBeLessThan(3 * promisedMs);
  });
});

/** The last lines of the test runner: the form depends on the version of Node. */
const passed = /^(?:ℹ|#) pass [1-9]\d*$[\s\S]*^(?:ℹ|#) fail 0$/m;

/** What is promised from nothing to the first call of a tool, the download excepted. */
const firstCallMs = 60_000;

describe('an application of one’s own, by the lines of the README', () => {
  const { pack, create, serve: serveLine, call } = readmeLines();
  const online = newcomer(machineNode());
  /** npm fails rather than ask the registry. */
  const offline = { ...online, npm_config_offline: 'true' };
  const nodes = ['22', '24'];

  beforeAll(async () => {
    await sh(pack, clone, online);
    // npm's cache gets what every application needs.
    for (const node of nodes) {
      await sh(`npx waymark new ../warm-${node} --source packed --template agent`, clone, online);
      bringNode(join(folder, `warm-${node}`), node);
      await sh('npm install', join(folder, `warm-${node}`), online);
    }
  }, 20 * 60_000);

  it.each(nodes.flatMap((node) => templateNames.map((template) => [template, node] as const)))(
    'is made of %s, runs on Node %s, and answers a first call within a minute',
    async (template, node) => {
      verifies('getting.three-commands', 'getting.first-screen', 'getting.tests', 'getting.check');
      const name = `${template}-${node}`;
      const app = join(folder, name);
      const startedMs = performance.now();
      // 1
      const said = await sh(`${create.replace('my-app', name)} --template ${template}`, clone, offline);
      bringNode(app, node);
      // 2
      const { url, screen } = await serve(serveLine.replace('my-app', name), clone, offline);
      // 3: what was said to be the next step.
      const [, first = ''] = /^ {2}(npx waymark call [^#]+)/m.exec(said) ?? [];
      const answer = await sh(`${first.trim()} --url ${url}`, app, offline);
      const tookMs = performance.now() - startedMs;
      console.log(`${name}: ${(tookMs / 1000).toFixed(1)} s to the first call`);
      expect(JSON.parse(answer)).toBeTruthy();
      expect(tookMs).toBeLessThan(3 * firstCallMs);
      expect(rowsOf(screen)).toBeLessThanOrEqual(16);
      expect(screen.filter((line) => line.includes('warning'))).toEqual([]);
      expect(await sh('npm exec -- node --version', app, offline)).toMatch(new RegExp(`^v${node}\\.`));
      expect(await sh('npm test', app, offline)).toMatch(passed);
      expect(await sh('npm run check', app, offline)).toContain('0 problems, 0 warnings');
    },
  );

  it('says for the first template what the README says', () => {
    expect(call).toBe('npx waymark call greet --name Ada --as operator');
  });

  it('is the same from a registry, by npm create and by npx', async () => {
    verifies('getting.npx');
    const registry = await startRegistry(join(clone, 'packed'));
    const env = {
      ...online,
      ...{ npm_config_registry: registry, npm_config_cache: ownCache(folder), npm_config_yes: 'true' },
    };
    await sh('npm create waymark@latest created -- --template data', folder, env);
    await sh('npx @waymark/server new by-npx --template data', folder, env);
    for (const name of ['created', 'by-npx']) {
      await sh('npm install', join(folder, name), env);
      expect(await sh('npm test', join(folder, name), env)).toMatch(passed);
    }
  });
});
