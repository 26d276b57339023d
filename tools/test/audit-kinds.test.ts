import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { auditKinds } from '../../packages/contract/src/stores/audit-kinds.ts';
import { repositoryRoot } from '../lib/workspace.ts';

it('each event that a package audits is of a kind that the log can be asked for', () => {
  const told = globSync('{packages/*,apps/server}/src/**/*.ts', { cwd: repositoryRoot }).flatMap((path) =>
    [
      ...readFileSync(join(repositoryRoot, path), 'utf8').matchAll(
        /\bemit\(\{\s*(?:\.\.\.\{\s*)?kind: '(\w+)'/g,
      ),
    ].map(([, kind = '']) => kind),
  );
  expect(new Set(told).size).toBeGreaterThanOrEqual(16);
  expect(told.filter((kind) => !auditKinds.includes(kind))).toEqual([]);
});
