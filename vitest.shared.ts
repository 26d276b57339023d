import { defaultServerConditions } from 'vite';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const source = '@waymark/source';

/** What a test project may choose for itself. */
interface ProjectOptions {
  /** Test files, relative to the project. */
  include?: string[];
  /** `false` runs all files in one worker: quicker, for packages without process-wide state. */
  isolate?: boolean;
}

/**
 * Shared settings of a test project: workspace packages resolve to their TypeScript source.
 *
 * Type tests (`*.test-d.ts`) are checked by `tsc -p .` with everything else.
 */
export function project(
  name: string,
  { include = ['test/**/*.test.ts'], isolate = true }: ProjectOptions = {},
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
      isolate,
      // What takes longer hangs; a busy machine does not.
      testTimeout: 30_000,
      hookTimeout: 60_000,
    },
  });
}
