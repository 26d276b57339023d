import { mergeConfig } from 'vitest/config';
import { project } from '../vitest.shared.ts';

/** `npm run drills`: hours are allowed, one drill at a time. */
export default mergeConfig(project('@waymark/drills', { include: ['drills/*.drill.ts'] }), {
  root: import.meta.dirname,
  test: {
    env: { PROGRAMS: 'built' },
    globalSetup: ['./find-chromium.ts', '../tools/build-packages.ts'],
    fileParallelism: false,
    isolate: true,
    testTimeout: 6 * 60 * 60_000,
    hookTimeout: 10 * 60_000,
    reporters: ['verbose', '../tools/summary-reporter.ts'],
  },
});
