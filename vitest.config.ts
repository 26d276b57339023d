import { mergeConfig } from 'vitest/config';
import { project, reporters } from './vitest.shared.ts';

/**
 * `npm test`: the quick tests (`*.test.ts`), which start no program that takes a second, measure nothing and wait for no
 * clock. A `*.property.test.ts` draws a few cases here, and all of them in `vitest.slow.config.ts`.
 *
 * One project for all, and not one for each package: a worker loads what the packages share once, and not again for each
 * package whose tests it runs. `vitest run packages/http` runs those of one.
 */
export default mergeConfig(
  project('quick', {
    include: ['{packages,apps}/*/test/**/*.test.ts', '{tools,e2e}/test/**/*.test.ts'],
    exclude: ['**/*.slow.test.ts'],
  }),
  // Each worker loads and warms up all packages: more of them than cores and one cost a quarter of the time of the processor.
  { test: { reporters } },
);
