// The one gate, from source and without a build: `npm run check`.
import { runSteps, type Step } from './lib/steps.ts';

/** Everything but the tests; CI runs the same list. */
export const checks: readonly Step[] = [
  { name: 'format, lint', command: ['biome', 'ci', '--colors=off', '--error-on-warnings', '.'] },
  { name: 'typed lint', command: ['oxlint'] },
  { name: 'types', command: ['tsc', '-p', '.'] },
  // What runs in browsers has their types, and nothing else has.
  { name: 'types of pages', command: ['tsc', '-p', 'packages/device-hub/browser'] },
  { name: 'types of the docs page', command: ['tsc', '-p', 'packages/control-plane/browser'] },
  { name: 'types of the console', command: ['tsc', '-p', 'packages/console/browser'] },
  { name: 'dead code', command: ['knip', '--no-config-hints'] },
  { name: 'boundaries', command: ['node', 'tools/check-boundaries.ts'] },
  { name: 'house', command: ['node', 'tools/check-house.ts'] },
  { name: 'exports', command: ['node', 'tools/check-exports.ts'] },
  { name: 'docstrings', command: ['node', 'tools/check-docstrings.ts'] },
  { name: 'clocks', command: ['node', 'tools/check-clocks.ts'] },
  { name: 'manifests', command: ['node', 'tools/check-manifests.ts'] },
  { name: 'limits', command: ['node', 'tools/check-limits.ts'] },
];

/** The quick tests, without the look at node_modules that `npm test` begins with. */
export const quickTests: Step = {
  name: 'npm test',
  command: ['vitest', 'run', '--project', 'quick'],
  tests: true,
};

/** Those of packages that work together. */
export const systemTests: Step = {
  name: 'system',
  command: ['vitest', 'run', '--project', 'system'],
  tests: true,
};

if (import.meta.main) {
  const { failedSteps } = await runSteps([[checks, [quickTests, systemTests]]]);
  console.log(failedSteps.length === 0 ? 'check: ok' : `check: failed: ${failedSteps.join(', ')}`);
  process.exitCode = failedSteps.length === 0 ? 0 : 1;
}
