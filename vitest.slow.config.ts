import { join } from 'node:path';
import { mergeConfig } from 'vitest/config';
import { turnNow, waitingFiles } from './tools/lib/turns.ts';
import { project, reporters } from './vitest.shared.ts';

const ending = '{slow,property}.test.ts';

/** `npm run slow`: what measures, waits, or starts programs (`*.slow.test.ts`), and more of what properties draw. */
export default mergeConfig(
  project('slow', {
    include: [`{packages,apps}/*/test/**/*.${ending}`, `{tools,e2e}/test/**/*.${ending}`],
    exclude: waitingFiles(import.meta.dirname, turnNow()),
  }),
  {
    test: {
      // `properties.drill.ts` runs them with larger budgets.
      env: { TEST_TIER: process.env['TEST_TIER'] ?? 'slow', PROGRAMS: 'built' },
      globalSetup: [join(import.meta.dirname, 'tools/build-packages.ts')],
      testTimeout: 120_000,
      reporters,
      // For `npm run coverage`, which runs them behind the quick ones: the two have different numbers of workers.
      sequence: { groupOrder: 1 },
    },
  },
);
