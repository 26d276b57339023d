import { mergeConfig } from 'vitest/config';
import { project } from './vitest.shared.ts';

/**
 * One project for all, and not one for each package: a worker loads what the packages share once, and not again for each
 * package whose tests it runs. `vitest run packages/http` runs those of one.
 */
export default mergeConfig(
  project('waymark', { include: ['{packages,apps}/*/test/**/*.test.ts', '{tools,e2e}/test/**/*.test.ts'] }),
  {
    test: {
      reporters: ['default', './tools/summary-reporter.ts'],
      coverage: {
        provider: 'v8',
        include: ['packages/*/src/**', 'apps/*/src/**'],
        reporter: ['text-summary', 'lcov'],
      },
    },
  },
);
