import { availableParallelism } from 'node:os';
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
  // They wait for sockets and timers more than they work: two workers for each core, and one.
  { test: { reporters, maxWorkers: availableParallelism() * 2 + 1 } },
);
