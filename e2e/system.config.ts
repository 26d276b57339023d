import { join } from 'node:path';
import { mergeConfig } from 'vitest/config';
import { project } from '../vitest.shared.ts';

/** `npm run e2e`: the tests that need a browser, programs of their own, or the machine for themselves (`*.e2e.ts`). */
export default mergeConfig(
  project('@waymark/e2e', { include: ['e2e/test/**/*.e2e.ts', 'apps/*/test/**/*.e2e.ts'] }),
  {
    root: join(import.meta.dirname, '..'),
    test: {
      globalSetup: [join(import.meta.dirname, 'find-chromium.ts')],
      fileParallelism: false,
      // Some measure memory.
      isolate: true,
      testTimeout: 30_000,
      hookTimeout: 60_000,
      passWithNoTests: true,
      reporters: ['default', join(import.meta.dirname, '../tools/summary-reporter.ts')],
    },
  },
);
