import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { machineNode, newcomer, readmeLines, rowsOf, serve, sh } from './newcomer.ts';
import { ownCache, startRegistry } from './package-registry.ts';

const root = join(import.meta.dirname, '..', '..');
const lines = readmeLines();
const env = newcomer(machineNode());

/** What is promised from nothing to the first call of a tool, the download excepted. */
const firstCallMs = 60_000;

/** On a machine that has much else to do, downloads included. */
const patienceMs = 5 * 60_000;

let folder: string;
let packed: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'newcomer-'));
  packed = join(folder, 'clone', 'packed');
  execFileSync(process.execPath, [join(root, 'tools/pack.ts'), packed], { cwd: root });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What somebody writes first who has the client. */
const program = `import { createClient } from './client.ts';

const [, , baseUrl = '', key = ''] = process.argv;
const desk = createClient({ baseUrl, headers: { 'x-api-key': key } });
const { text } = await desk.greet({ name: 'Ada', loud: true });
console.log(text.toLowerCase());
`;

describe('a newcomer', { timeout: patienceMs }, () => {
  it('comes with the lines of the README from a clone to an application, and calls a tool of it', async () => {
    verifies('getting.readme', 'getting.three-commands', 'getting.own-node', 'getting.first-screen');
    // The first line is this, after a build.
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    expect(lines.pack).toBe('npm run pack');
    expect(scripts['pack']).toBe('nx run-many -t build && node tools/pack.ts');
    const clone = join(folder, 'clone');
    // Where `npx` finds the command line that the workspace has.
    mkdirSync(join(clone, 'node_modules', '.bin'), { recursive: true });
    const bin = join(root, 'node_modules', '.bin', 'waymark');
    writeFileSync(join(clone, 'node_modules/.bin/waymark'), `#!/bin/sh\nexec "${bin}" "$@"\n`, {
      mode: 0o755,
    });
    const startedMs = performance.now();
    const said = await sh(lines.create, clone, env);
    expect(said).toMatch(/^\.\.\/my-app is ready\. Next:\n\n(?: {2}\S.*\n){3}$/);
    const app = join(folder, 'my-app');
    const { url, screen } = await serve(lines.serve, clone, env);
    expect(rowsOf(screen)).toBeLessThanOrEqual(16);
    expect(screen.filter((line) => line.includes('warning'))).toEqual([]);
    // The port is taken where the test runs, so the call is told where the server is.
    expect(JSON.parse(await sh(`${lines.call} --url ${url}`, app, env))).toEqual({ text: 'Hello, Ada.' });
    expect(performance.now() - startedMs).toBeLessThan(3 * firstCallMs);
    expect(await sh('npm test', app, env)).toMatch(/^ℹ pass 2$/m);
    expect(await sh('npm run check', app, env)).toContain('0 problems, 0 warnings');
    // And one's own program, on the Node that the application brings, with the client that it generates.
    await sh('npm run client', app, env);
    writeFileSync(join(app, 'program.ts'), program);
    const [, key = ''] =
      /^OPERATOR_KEY=(.+)$/m.exec(readFileSync(join(app, '.waymark/dev.env'), 'utf8')) ?? [];
    expect(await sh(`npm exec -- node program.ts ${url} ${key}`, app, env)).toBe('hello, ada.\n');
    expect(await sh('npm run check', app, env)).toContain('0 problems, 0 warnings');
  });

  it('gets the same by npm create and by npx once it is published, with the Node of the machine', async () => {
    verifies('getting.create', 'getting.npx');
    const registry = await startRegistry(packed);
    const there = {
      ...env,
      ...{ npm_config_registry: registry, npm_config_cache: ownCache(folder), npm_config_yes: 'true' },
    };
    for (const [name, line] of [
      ['shop', 'npm create waymark@latest shop -- --template agent'],
      ['desk', 'npx @waymark/server new desk --template agent'],
    ] as const) {
      expect(await sh(line, folder, there)).toMatch(/^\w+ is ready\. Next:$/m);
      const written = readFileSync(join(folder, name, 'application.ts'), 'utf8');
      expect(written).toContain(`createApplication('${name}'`);
    }
  });
});
