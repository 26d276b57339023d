import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { createExample } from '../example/application.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const policy = readFileSync(join(root, 'docs', 'versioning.md'), 'utf8');

describe('docs/versioning.md', () => {
  it('says what happens to old names and paths, and README files lead to it', () => {
    verifies('version.policy');
    expect(policy).toMatch(
      /## What happens to an old name\n\n[^#]*one more minor version[^#]*`deprecated: true`[^#]*`Deprecation`/,
    );
    expect(policy).toMatch(/## What happens to an old path\n\n[^#]*No path carries a version/);
    expect(readFileSync(join(root, 'apps/server/README.md'), 'utf8')).toContain('/docs/versioning.md)');
  });

  it('is kept: one version for all packages, none in a path', () => {
    verifies('version.policy', 'version.no-path');
    const manifests = [
      'apps/server',
      ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`),
    ];
    const versions = manifests.map((folder) => {
      const text = readFileSync(join(root, folder, 'package.json'), 'utf8');
      return (JSON.parse(text) as { version: string }).version;
    });
    expect(new Set(versions).size).toBe(1);
    const { table } = createExample({ env: {} });
    const paths = [...table].map((route) => table.pathOf(route));
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => /\/v\d|\d\.\d/i.test(path))).toEqual([]);
  });
});
