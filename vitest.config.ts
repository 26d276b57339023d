import { project, reporters } from './vitest.shared.ts';

/** What starts programs, measures or draws has a tier of its own: `vitest.slow.config.ts`. */
const others = ['**/*.slow.test.ts'];

/**
 * The quick tests (`*.test.ts`), which start no program that takes a second, measure nothing and wait for no clock.
 *
 * `npm test` runs those of packages, the server and tools, `npm run system` those of several packages together. A
 * `*.property.test.ts` of a package draws a few cases here, and all of them in `vitest.slow.config.ts`.
 *
 * One project for all packages, and not one for each: a worker loads what they share once, and not again for each
 * package whose tests it runs. `vitest run packages/http` runs those of one.
 */
export default {
  test: {
    reporters,
    projects: [
      project('quick', {
        include: ['{packages,apps}/*/test/**/*.test.ts', 'tools/test/**/*.test.ts'],
        exclude: others,
      }),
      project('system', {
        include: ['e2e/test/**/*.test.ts'],
        exclude: [...others, '**/*.property.test.ts'],
      }),
    ],
  },
};
