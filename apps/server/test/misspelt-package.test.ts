import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { misspeltPackage } from '../src/cli/load/misspelt-package.ts';
import { inFolder } from './command-line.ts';

describe('a package that is not there', () => {
  it.each([
    ['@waymark/servr', '@waymark/server'],
    ['@waymrk/client', '@waymark/client'],
    ['drizle-orm', 'drizzle-orm'],
    ['vitset', 'vitest'],
    ['@waymark/nowhere', undefined],
    ['left-pad', undefined],
    ['vitest', undefined],
  ])('%s is probably %s', (name, meant) => {
    const folder = inFolder({
      'package.json': '{"dependencies":{"drizzle-orm":"1"},"devDependencies":{"vitest":"1"}}',
    });
    expect(misspeltPackage(name, join(folder, 'application.ts'))).toBe(meant);
  });

  it('is found among ours without a manifest that can be read', () => {
    const folder = inFolder({ 'package.json': '<<<<<<<' });
    expect(misspeltPackage('@waymark/servr', join(folder, 'application.ts'))).toBe('@waymark/server');
  });
});
