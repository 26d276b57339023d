import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { mergeConfig } from 'vitest/config';
import { turnNow, waitingFiles } from '../tools/lib/turns.ts';
import { project, reporters } from '../vitest.shared.ts';

const root = join(import.meta.dirname, '..');
const files = '{e2e,apps/*}/test/**';
const waiting = waitingFiles(root, turnNow());

/** What both groups have. */
const shared = {
  root,
  test: {
    testTimeout: 120_000,
    // `properties.drill.ts` runs them with larger budgets.
    env: { TEST_TIER: process.env['TEST_TIER'] ?? 'slow', PROGRAMS: 'built' },
    globalSetup: [
      'e2e/find-chromium.ts',
      'e2e/find-ffmpeg.ts',
      'e2e/find-redis.ts',
      'tools/build-packages.ts',
    ].map((file) => join(root, file)),
  },
};

/**
 * `npm run e2e`: the tests that need a browser or started servers (`*.e2e.ts`), several at a time, since they wait more than
 * they work; then, two at a time, those that count milliseconds (`*.alone.e2e.ts`).
 */
export default {
  root,
  test: {
    reporters,
    projects: [
      mergeConfig(
        project('e2e', { include: [`${files}/*.e2e.ts`], exclude: ['**/*.alone.e2e.ts', ...waiting] }),
        {
          ...shared,
          // They wait more than they work: for clocks, pages, processes that end.
          test: { ...shared.test, maxWorkers: 2 * availableParallelism() + 1, sequence: { groupOrder: 0 } },
        },
      ),
      mergeConfig(project('alone', { include: [`${files}/*.alone.e2e.ts`], exclude: waiting }), {
        ...shared,
        // Each file in a process of its own: some measure memory.
        test: { ...shared.test, isolate: true, maxWorkers: 2, sequence: { groupOrder: 1 } },
      }),
    ],
  },
};
