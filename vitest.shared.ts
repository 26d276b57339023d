import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defaultServerConditions } from 'vite';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const source = '@waymark/source';

/** What every run reports: what it shows, what that proves, and last how many tests passed. */
export const reporters = [
  'default',
  join(import.meta.dirname, 'e2e/proofs/proof-reporter.ts'),
  join(import.meta.dirname, 'tools/summary-reporter.ts'),
];

// Workers, and the programs that tests start, load the same modules again and again: node compiles them once.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules', '.cache', 'compile');

/** Which test files a project has, relative to its root. */
interface ProjectFiles {
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
}

/**
 * Shared settings of a test project: workspace packages resolve to their TypeScript source.
 *
 * A worker runs one file after another: loading the packages anew for each would take longer than most of the tests.
 * No package has process-wide state that changes an answer; a test that changes some (environment, working directory) puts it back.
 *
 * Type tests (`*.test-d.ts`) are checked by `tsc -p .` with everything else.
 */
export function project(name: string, { include, exclude = [] }: ProjectFiles): ViteUserConfig {
  return defineConfig({
    resolve: { conditions: [source, ...defaultServerConditions] },
    ssr: { resolve: { conditions: [source, ...defaultServerConditions], externalConditions: [source] } },
    test: {
      name,
      include: [...include],
      // What tests write beside themselves may hold tests.
      exclude: ['**/node_modules/**', '**/.*/**', ...exclude],
      environment: 'node',
      isolate: false,
      setupFiles: ['e2e/proofs/note-verified.ts', 'tools/left-behind.ts'].map((file) =>
        join(import.meta.dirname, file),
      ),
      maxWorkers: availableParallelism() + 1,
      // What takes longer hangs; a busy machine does not.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 30_000, interval: 20 } },
    },
  });
}
