import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFiles, tiersOf } from '../lib/tiers.ts';
import { repositoryRoot } from '../lib/workspace.ts';

describe('tiersOf', () => {
  it.each([
    ['packages/http/test/cors.test.ts', ['quick']],
    ['packages/http/test/cors.slow.test.ts', ['slow']],
    ['packages/http/test/cors.property.test.ts', ['quick', 'slow']],
    ['e2e/test/cors.test.ts', ['system']],
    ['e2e/test/cors.slow.test.ts', ['slow']],
    ['e2e/test/cors.property.test.ts', ['slow']],
    ['e2e/test/shutdown.e2e.ts', ['e2e']],
    ['e2e/test/shutdown.alone.e2e.ts', ['alone']],
    ['e2e/drills/runs.drill.ts', ['drills']],
    ['e2e/test/served.ts', []],
  ])('of %s is %j', (path, expected) => {
    expect(tiersOf(path)).toEqual(expected);
  });
});

describe('the tests of this repository', () => {
  it('wait with expect.poll, whose deadline is the same for all: that of vi.waitFor is a second', () => {
    const hasty = testFiles(repositoryRoot).filter((path) =>
      /\bvi\.wait(?:For|Until)\(/.test(readFileSync(join(repositoryRoot, path), 'utf8')),
    );
    expect(hasty).toEqual([]);
  });

  it('have a budget by tier only where two tiers run them, or a drill draws more', () => {
    const budgeted = testFiles(repositoryRoot).filter((path) =>
      /\bbyTier\(\{ (?:quick|slow): /.test(readFileSync(join(repositoryRoot, path), 'utf8')),
    );
    expect(budgeted.length).toBeGreaterThan(10);
    const others = budgeted.filter((path) => tiersOf(path).length !== 2);
    const drawsNoMore = /\bbyTier\(\{(?![^}]*drill: )/;
    const inOne = others.filter((path) => drawsNoMore.test(readFileSync(join(repositoryRoot, path), 'utf8')));
    expect(inOne).toEqual(['packages/contract/test/testing/by-tier.test.ts']);
  });
});
