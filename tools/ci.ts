// Everything CI holds against a commit, started by .ci/run. The last line is `N passed, N failed` over all test runs.
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { checks, quickTests, systemTests } from './check.ts';
import { runSteps } from './lib/steps.ts';

// Each test step leaves there what it proved.
process.env['PROOFS'] = resolve('.proofs');
rmSync('.proofs', { recursive: true, force: true });

const e2e = ['vitest', 'run', '--config', 'e2e/system.config.ts'] as const;

// By a step of its own, before them.
process.env['PACKAGES'] = 'built';
const { passed, failed, failedSteps } = await runSteps([
  [
    [{ name: 'peers', command: ['node', 'tools/install-peers.ts'] }],
    // Whole tiers of tests start the programs that it makes.
    [{ name: 'build', command: ['node', 'tools/build.ts'] }],
    // They look at sources alone, and peers wait for the network.
    checks,
  ],
  // Side by side: neither fills two cores.
  [
    [
      // Properties draw more in the slow step.
      { ...quickTests, command: [...quickTests.command, '--exclude', '**/*.property.test.ts'], again: true },
      { ...systemTests, again: true },
      { name: 'e2e', command: [...e2e, '--project', 'e2e'], tests: true, again: true },
    ],
    [
      { name: 'advisories', command: ['node', 'tools/check-advisories.ts'] },
      {
        name: 'examples',
        command: ['node', '--conditions=@waymark/source', '--test', 'examples/*/*.test.ts'],
      },
      {
        name: 'docs',
        command: ['node', '--conditions=@waymark/source', 'tools/docs.ts', '--check'],
        ...{ tests: true, again: true },
      },
      { name: 'packages', command: ['node', 'tools/check-packages.ts'] },
      { name: 'release', command: ['node', 'tools/rehearse-release.ts'] },
      {
        name: 'conformance',
        command: ['node', '--conditions=@waymark/source', 'e2e/conformance/main.ts'],
        tests: true,
      },
      {
        name: 'slow',
        command: ['vitest', 'run', '--config', 'vitest.slow.config.ts'],
        ...{ tests: true, again: true },
      },
    ],
  ],
  // What counts milliseconds or bytes has the machine nearly for itself.
  [[{ name: 'e2e alone', command: [...e2e, '--project', 'alone'], tests: true, again: true }]],
  [[{ name: 'requirements', command: ['node', 'e2e/proofs/check-proofs.ts'] }]],
]);
if (failedSteps.length > 0) console.log(`failed: ${failedSteps.join(', ')}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
