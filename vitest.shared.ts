import { join } from 'node:path';
import { defaultServerConditions } from 'vite';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const source = '@waymark/source';

// Workers, and the programs that tests start, load the same modules again and again: node compiles them once.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules', '.cache', 'compile');

/** What a test project may choose for itself. */
interface ProjectOptions {
  /** Test files, relative to the project. */
  include?: string[];
}

/**
 * Shared settings of a test project: workspace packages resolve to their TypeScript source.
 *
 * A worker runs one file after another: loading the packages anew for each would take longer than most of the tests.
 * No package has process-wide state; a test that changes some (environment, working directory) puts it back.
 *
 * Type tests (`*.test-d.ts`) are checked by `tsc -p .` with everything else.
 */
export function project(
  name: string,
  { include = ['test/**/*.test.ts'] }: ProjectOptions = {},
): ViteUserConfig {
  return defineConfig({
    resolve: { conditions: [source, ...defaultServerConditions] },
    ssr: { resolve: { conditions: [source, ...defaultServerConditions], externalConditions: [source] } },
    test: {
      name,
      include,
      // What tests write beside themselves may hold tests.
      exclude: ['**/node_modules/**', '**/.*/**'],
      environment: 'node',
      isolate: false,
      // What takes longer hangs; a busy machine does not.
      testTimeout: 30_000,
      hookTimeout: 60_000,
    },
  });
}
