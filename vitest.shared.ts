import { defaultServerConditions } from 'vite';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const source = '@waymark/source';

/**
 * Shared settings of a test project: workspace packages resolve to their TypeScript source.
 *
 * Type tests (`*.test-d.ts`) are checked by `tsc -p .` with everything else.
 *
 * @param isolate false runs all files of a project in one worker: for packages without process-wide state
 */
export function project(name: string, { isolate = true }: { isolate?: boolean } = {}): ViteUserConfig {
  return defineConfig({
    resolve: { conditions: [source, ...defaultServerConditions] },
    ssr: { resolve: { conditions: [source, ...defaultServerConditions], externalConditions: [source] } },
    test: {
      name,
      include: ['test/**/*.test.ts'],
      environment: 'node',
      isolate,
      testTimeout: 10_000,
      hookTimeout: 20_000,
    },
  });
}
