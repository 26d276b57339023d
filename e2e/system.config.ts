import { mergeConfig } from 'vitest/config';
import { project } from '../vitest.shared.ts';

/** `npm run e2e`: the tests that need a browser, another program, or the machine for themselves (`*.e2e.ts`). */
export default mergeConfig(project('@waymark/e2e', { include: ['test/**/*.e2e.ts'] }), {
  root: import.meta.dirname,
  test: {
    globalSetup: ['./find-chromium.ts'],
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    passWithNoTests: true,
    reporters: ['default', '../tools/summary-reporter.ts'],
  },
});
