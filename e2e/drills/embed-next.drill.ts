// A real application of Next with `embed` in its custom server: 350 MB of packages, and half a minute of CPU.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusalOf, visit } from '../../tools/alone/visited.ts';
import { installFolder } from '../../tools/lib/install.ts';
import { repositoryRoot } from '../../tools/lib/workspace.ts';

const folder = join(import.meta.dirname, '../embed-peers/next');
const ours = ['contract', 'core-routes', 'http', 'embed', 'device-hub', 'mcp'];
process.env['NEXT_TELEMETRY_DISABLED'] = '1';
let scratch: string;

beforeAll(() => {
  installFolder(folder);
  scratch = mkdtempSync(join(tmpdir(), 'embed-next-'));
});
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
  rmSync(join(folder, '.next'), { recursive: true, force: true });
});

/** Everything that an application with pages and `embed` is asked, and then its end. */
function tryProgram(cwd: string, mode: string, flags: readonly string[]): void {
  const visitor = join(repositoryRoot, 'tools', 'alone', 'embed-visitor.ts');
  // Next writes markers between the pieces of a text.
  const args = [visitor, 'a page of the application', process.execPath, ...flags, 'server.js'];
  execFileSync(process.execPath, args, {
    cwd,
    env: { ...process.env, NODE_ENV: mode },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

const source = ['--conditions=@waymark/source'];

describe('embed in the custom server of Next', () => {
  it('works in development, from the sources', () => {
    tryProgram(folder, 'development', source);
  });

  it('leaves the socket of hot reloading to Next', async () => {
    const program = [process.execPath, ...source, join(folder, 'server.js')];
    // With the mode of tests Next is in development, too.
    await visit(program, async ({ port, stop }) => {
      const url = `http://127.0.0.1:${port}`;
      // Next listens for upgrades from its first page on.
      expect(await (await fetch(url)).text()).toContain('a page of the application');
      // It takes no other name without being told so.
      const host = `localhost:${port}`;
      expect(await refusalOf(`${url}/_next/hmr?id=1`, { host, origin: `http://${host}` })).toBe(101);
      expect(await refusalOf(`${url}/api/devices/door/stream`, {})).toBe(401);
      expect((await stop()).code).toBe(0);
    });
  });

  it('works in production, from the packages that are published', () => {
    const pack = ['pack', '--ignore-scripts', '--pack-destination', scratch, '--loglevel=error'];
    const names = ours.map((name) => `--workspace=@waymark/${name}`);
    const packed = execFileSync('npm', [...pack, ...names], { cwd: repositoryRoot, encoding: 'utf8' });
    const tarballs = packed
      .trim()
      .split('\n')
      .map((file) => join(scratch, file));
    const application = join(scratch, 'application');
    cpSync(folder, application, {
      recursive: true,
      filter: (path) => !['node_modules', '.next'].includes(basename(path)),
    });
    const quiet = { cwd: application, stdio: ['ignore', 'ignore', 'inherit'] as const };
    execFileSync(
      'npm',
      ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...tarballs],
      {
        ...quiet,
        stdio: [...quiet.stdio],
      },
    );
    execFileSync(join(application, 'node_modules/.bin/next'), ['build'], {
      ...quiet,
      stdio: [...quiet.stdio],
    });
    tryProgram(application, 'production', []);
  });
});
