// Everything CI holds against a commit, started by .ci/run. The last line is `N passed, N failed` over all test runs.
import { checks } from './check.ts';
import { runSteps } from './lib/steps.ts';

const { passed, failed, failedSteps } = await runSteps([
  { name: 'npm test', command: ['npm', 'test'], tests: true },
  ...checks,
  { name: 'build', command: ['nx', 'run-many', '-t', 'build'] },
  { name: 'packages', command: ['node', 'tools/check-packages.ts'] },
  { name: 'conformance', command: ['npm', 'run', 'conformance'], tests: true },
  { name: 'e2e', command: ['npm', 'run', 'e2e'], tests: true },
]);
if (failedSteps.length > 0) console.log(`failed: ${failedSteps.join(', ')}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
