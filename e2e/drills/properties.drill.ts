/**
 * All that properties draw, all pairs of what is tried in rotation, and all sizes and counts of what CI tries smaller: the files of
 * `npm run slow` and `npm run e2e` that have a budget for it. `PROPERTIES_ONLY=e2e/test/authority` chooses some by their paths.
 */
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const only = process.env['PROPERTIES_ONLY'] ?? '';

const files = globSync('{packages,apps,e2e}/**/test/**/*.{property.test,slow.test,e2e}.ts', {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
}).filter((file) => file.includes(only) && /\bdrill: [\d_]+/.test(readFileSync(join(root, file), 'utf8')));

it.each(files.toSorted())('%s holds with its largest budget', async (file) => {
  const vitest = join(root, 'node_modules/.bin/vitest');
  const { stdout } = await promisify(execFile)(
    vitest,
    ['run', '--config', configOf(file), file, '--testTimeout=3600000'],
    {
      cwd: root,
      env: { ...process.env, TEST_TIER: 'drill', PACKAGES: 'built' },
      maxBuffer: 2 ** 28,
    },
  ).catch(({ stdout: said }: { readonly stdout: string }) => ({ stdout: said }));
  expect(stdout.trimEnd().split('\n').at(-1), stdout.slice(-4_000)).toMatch(/^[1-9]\d* passed, 0 failed$/);
});

function configOf(file: string): string {
  return file.endsWith('.e2e.ts') ? 'e2e/system.config.ts' : 'vitest.slow.config.ts';
}
