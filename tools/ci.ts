// Everything CI holds against a commit, started by .ci/run, which tells how many seconds it took before. The last line is `N passed, N failed` over all test runs.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { checks, quickTests, systemTests } from './check.ts';
import { runSteps, type Stage, type Step } from './lib/steps.ts';
import { testFiles, tiersOf } from './lib/tiers.ts';
import { touchMs } from './lib/touch-ms.ts';
import { turnOf, turns, waitingFiles } from './lib/turns.ts';
import { repositoryRoot } from './lib/workspace.ts';

// Each test step leaves there what it proved.
process.env['PROOFS'] = resolve('.proofs');
rmSync('.proofs', { recursive: true, force: true });

const turn = process.env['CI_TURN'] === 'all' ? undefined : turnOf(commit());
const waiting = new Set(waitingFiles(repositoryRoot, turn));
process.env['CI_TURN'] = String(turn ?? 'all');
if (turn !== undefined)
  console.log(
    `turn ${turn + 1} of ${turns}: ${waiting.size} test files and some steps wait for another commit's turn; CI_TURN=all runs all`,
  );

/** Steps that take turns as test files do. */
function inTurn(of: number, ...steps: readonly Step[]): readonly Step[] {
  return turn === undefined || turn === of ? steps : [];
}

/** Above it tests of several lanes at once would keep each other waiting for longer than they wait for anything. */
const dearMs = 45;
const ms = Math.round(touchMs());
const isDear = ms > dearMs;
if (isDear) console.log(`memory is dear here: 32 MiB took ${ms} ms; no tests of one kind beside another`);

/** Lanes side by side; one after the other where the machine is too slow for that. */
function beside(...lanes: Stage): readonly Stage[] {
  return isDear ? lanes.map((lane) => [lane]) : [lanes];
}

/** Properties draw more in the slow step; the quick one has those that wait there. */
const drawn = testFiles(repositoryRoot).filter(
  (path) => tiersOf(path).includes('slow') && tiersOf(path).includes('quick') && !waiting.has(path),
);

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
  // Side by side, and about as long: none fills a core, since they wait for pages, processes and clocks.
  ...beside(
    [{ name: 'e2e', command: [...e2e, '--project', 'e2e'], tests: true, again: true }],
    [
      {
        ...quickTests,
        command: [...quickTests.command, ...drawn.flatMap((path) => ['--exclude', path])],
        again: true,
      },
      { ...systemTests, again: true },
      {
        name: 'docs',
        command: ['node', '--conditions=@waymark/source', 'tools/docs.ts', '--check'],
        ...{ tests: true, again: true },
      },
      {
        name: 'examples',
        command: ['node', '--conditions=@waymark/source', '--test', 'examples/*/*.test.ts'],
      },
    ],
    [
      {
        name: 'slow',
        command: ['vitest', 'run', '--config', 'vitest.slow.config.ts'],
        ...{ tests: true, again: true },
      },
      { name: 'advisories', command: ['node', 'tools/check-advisories.ts'] },
      ...inTurn(0, { name: 'packages', command: ['node', 'tools/check-packages.ts'] }),
      ...inTurn(
        1,
        { name: 'release', command: ['node', 'tools/rehearse-release.ts'] },
        {
          name: 'conformance',
          command: ['node', '--conditions=@waymark/source', 'e2e/conformance/main.ts'],
          tests: true,
        },
      ),
    ],
  ),
  // What counts milliseconds or bytes has the machine nearly for itself.
  [[{ name: 'e2e alone', command: [...e2e, '--project', 'alone'], tests: true, again: true }]],
  [[{ name: 'requirements', command: ['node', 'e2e/proofs/check-proofs.ts'] }]],
]);
if (failedSteps.length > 0) console.log(`failed: ${failedSteps.join(', ')}`);
const seconds = Number(process.argv[2] ?? 0) + performance.now() / 1000;
console.log(`took ${Math.round(seconds)} s on ${availableParallelism()} cores`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** Hash of what is checked; empty where that is no clone. */
function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}
