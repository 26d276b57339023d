import { defineConfig } from 'vitest/config';
import quick from './vitest.config.ts';
import { reporters } from './vitest.shared.ts';

/** `npm run coverage`: the lines that the quick tests, those of the system and the slow ones run, together. */
export default defineConfig({
  test: {
    projects: [...quick.test.projects, 'vitest.slow.config.ts'],
    reporters,
    coverage: {
      enabled: true,
      provider: 'v8',
      include: ['packages/*/src/**', 'apps/*/src/**'],
      reporter: ['text-summary', 'lcov'],
    },
  },
});
