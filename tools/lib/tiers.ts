import { globSync } from 'node:fs';

/** The tiers of tests, quickest first. */
export const tiers = ['quick', 'system', 'slow', 'e2e', 'alone', 'drills'] as const;

export type Tier = (typeof tiers)[number];

const files = [
  'packages/*/test/**/*.test.ts',
  'apps/*/test/**/*.{test,e2e}.ts',
  'tools/test/**/*.test.ts',
  'e2e/test/**/*.{test,e2e}.ts',
  'e2e/drills/**/*.drill.ts',
];

const paths: readonly (readonly [path: RegExp, tiers: readonly Tier[]])[] = [
  [/\.drill\.ts$/, ['drills']],
  [/\.alone\.e2e\.ts$/, ['alone']],
  [/\.e2e\.ts$/, ['e2e']],
  [/\.slow\.test\.ts$/, ['slow']],
  [/^e2e\/.*\.property\.test\.ts$/, ['slow']],
  // A few cases, and then all of them.
  [/\.property\.test\.ts$/, ['quick', 'slow']],
  [/^e2e\/.*\.test\.ts$/, ['system']],
  [/\.test\.ts$/, ['quick']],
];

/** The tiers a test file is run in, by its path below the root. */
export function tiersOf(path: string): readonly Tier[] {
  return paths.find(([fits]) => fits.test(path))?.[1] ?? [];
}

/** Every test file below `root`. */
export function testFiles(root: string): readonly string[] {
  return globSync(files, { cwd: root, exclude: (path) => path.includes('/.') }).sort();
}
