import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { clientFile, generateClient } from '../generate-client.ts';
import { repositoryRoot } from '../lib/workspace.ts';

it('the committed client is the one that the reference application gives, every time', () => {
  verifies('client.fresh', 'client.deterministic');
  const committed = readFileSync(join(repositoryRoot, clientFile), 'utf8');
  expect(committed).toBe(generateClient());
  expect(generateClient()).toBe(generateClient());
});
