import { defineConfig } from 'vitest/config';
import { reporters } from './vitest.shared.ts';

/** `npm run coverage`: the lines that the quick tests and the slow ones run, together. */
export default defineConfig({
  test: {
    projects: ['vitest.config.ts', 'vitest.slow.config.ts'],
    reporters,
    coverage: {
      enabled: true,
      provider: 'v8',
      include: ['packages/*/src/**', 'apps/*/src/**'],
      reporter: ['text-summary', 'lcov'],
    },
  },
});
