import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { clientFolder, generateClient } from '../generate-client.ts';
import { repositoryRoot } from '../lib/workspace.ts';

it('the committed client is the one that the reference application gives, every time', () => {
  verifies('client.fresh', 'client.deterministic');
  const files = generateClient();
  expect(readdirSync(join(repositoryRoot, clientFolder))).toEqual(files.map(({ name }) => name).toSorted());
  for (const { name, source } of files)
    expect(readFileSync(join(repositoryRoot, clientFolder, name), 'utf8')).toBe(source);
  expect(generateClient()).toEqual(files);
});
