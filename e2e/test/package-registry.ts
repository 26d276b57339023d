import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

interface Packument {
  readonly name: string;
  readonly versions: Readonly<Record<string, object>>;
}

/**
 * Serves packed packages as the registry of npm would, until the test is over; for every other package it leads to the
 * registry of this machine.
 *
 * @returns its address
 */
export async function startRegistry(tarballs: string): Promise<string> {
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const files = readdirSync(tarballs).filter((name) => name.endsWith('.tgz'));
  let url = '';
  const server = createServer((req, res) => {
    const path = decodeURIComponent(req.url ?? '/').slice(1);
    const file = files.find((name) => path === `-/${name}`);
    const one = packuments.get(path);
    if (file !== undefined) res.end(readFileSync(join(tarballs, file)));
    else if (one) res.setHeader('content-type', 'application/json').end(JSON.stringify(one));
    else res.writeHead(302, { location: new URL(path.replace('/', '%2f'), upstream).href }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const packuments = new Map(
    files.map((file) => {
      const one = toPackument(join(tarballs, file), `${url}-/${file}`);
      return [one.name, one];
    }),
  );
  return url;
}

/** A cache for npm that knows what the one of this machine knows, and keeps to itself what npx installs of ours. */
export function ownCache(folder: string): string {
  const ofMachine = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
  const own = join(folder, 'cache');
  mkdirSync(own);
  symlinkSync(join(ofMachine, '_cacache'), join(own, '_cacache'));
  return own;
}

function toPackument(file: string, tarball: string): Packument {
  const text = execFileSync('tar', ['-xOzf', file, 'package/package.json'], { encoding: 'utf8' });
  const manifest = JSON.parse(text) as { readonly name: string; readonly version: string };
  const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  const { name, version } = manifest;
  const latest = { ...manifest, dist: { tarball, integrity } };
  return { name, ...{ 'dist-tags': { latest: version } }, versions: { [version]: latest } };
}
