import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

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
    npm_config_cache: join(folder, 'cache'),
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
        if (found !== undefined && said.includes('is it alive')) resolve(found);
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
