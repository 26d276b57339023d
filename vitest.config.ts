import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Tests over sockets and processes wait more than they compute.
    maxWorkers: Math.max(5, availableParallelism()),
    projects: ['packages/*', 'apps/*', 'tools', 'e2e'],
    reporters: ['default', './tools/summary-reporter.ts'],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**', 'apps/*/src/**'],
      reporter: ['text-summary', 'lcov'],
    },
  },
});
