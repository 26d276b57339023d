import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { toDocsHtml } from '../../packages/control-plane/src/docs/docs-html.ts';
import { bundleDocs, docsFolder } from '../bundle-docs.ts';
import { repositoryRoot } from '../lib/workspace.ts';

it('the committed page of the document is what the sources give, every time', async () => {
  const files = await bundleDocs();
  expect(readdirSync(join(repositoryRoot, docsFolder)).sort()).toEqual(files.map(({ name }) => name));
  for (const { name, text } of files)
    expect(readFileSync(join(repositoryRoot, docsFolder, name), 'utf8'), name).toBe(text);
  expect(await bundleDocs()).toEqual(files);
});

it('all that its first load brings takes 40 kB on the way', () => {
  verifies('docs-page.small');
  const folder = join(repositoryRoot, docsFolder);
  const texts = [
    toDocsHtml('0123456789abcdef'),
    ...readdirSync(folder).map((name) => readFileSync(join(folder, name))),
  ];
  const size = texts.reduce((sum, text) => sum + gzipSync(text).length, 0);
  expect(size).toBeLessThanOrEqual(40_000);
});
