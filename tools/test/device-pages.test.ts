import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { bundlePages, pagesFolder } from '../bundle-pages.ts';
import { repositoryRoot } from '../lib/workspace.ts';

it('the committed pages of devices are those that the sources give, every time', async () => {
  const files = await bundlePages();
  expect(readdirSync(join(repositoryRoot, pagesFolder)).sort()).toEqual(files.map(({ name }) => name));
  for (const { name, text } of files)
    expect(readFileSync(join(repositoryRoot, pagesFolder, name), 'utf8'), name).toBe(text);
  expect(await bundlePages()).toEqual(files);
});

it('scripts and styles of all pages take 25 kB on the way', () => {
  const folder = join(repositoryRoot, pagesFolder);
  const sizes = readdirSync(folder)
    .filter((name) => /\.(?:js|css)$/.test(name))
    .map((name) => gzipSync(readFileSync(join(folder, name))).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(25_000);
});
