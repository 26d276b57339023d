import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { assetsFolder, bundleConsole, controlClientFile, generateControlClient } from '../bundle-console.ts';
import { repositoryRoot } from '../lib/workspace.ts';

const folder = join(repositoryRoot, assetsFolder);

it('the committed console is what the sources give, every time', async () => {
  verifies('console.client');
  expect(readFileSync(join(repositoryRoot, controlClientFile), 'utf8')).toBe(generateControlClient());
  const files = await bundleConsole();
  expect(readdirSync(folder).sort()).toEqual(files.map(({ name }) => name));
  for (const { name, text } of files) expect(readFileSync(join(folder, name), 'utf8'), name).toBe(text);
  expect(await bundleConsole()).toEqual(files);
});

it('what the first screen loads is 60 kB of scripts and 15 kB of styles at most, on the way', () => {
  verifies('console.small');
  const scripts = [...loadedWith('console.js', 'overview-page.js')];
  expect(sizeOf(scripts)).toBeLessThanOrEqual(60_000);
  expect(sizeOf(['console.css'])).toBeLessThanOrEqual(15_000);
  // Charts come with the first one that is shown.
  expect(scripts.filter((name) => /plot/i.test(name))).toEqual([]);
});

it('takes in nothing without its licence', () => {
  const licences = readFileSync(join(folder, 'licenses.txt'), 'utf8');
  for (const name of ['preact', '@preact/signals', '@preact/signals-core', 'ky'])
    expect(licences).toContain(`${name}\n`);
});

/** Scripts with those that they import before they run. */
function loadedWith(...names: readonly string[]): ReadonlySet<string> {
  const loaded = new Set<string>();
  const load = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    const text = readFileSync(join(folder, name), 'utf8');
    for (const [, next = ''] of text.matchAll(/(?:from|import)\s*[`"']\.\/([\w.-]+\.js)[`"']/g)) load(next);
  };
  for (const name of names) load(name);
  return loaded;
}

function sizeOf(names: readonly string[]): number {
  return names
    .map((name) => gzipSync(readFileSync(join(folder, name))).length)
    .reduce((sum, size) => sum + size, 0);
}
