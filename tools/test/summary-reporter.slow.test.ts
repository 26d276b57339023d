import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const vitest = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');
const reporter = join(import.meta.dirname, '../summary-reporter.ts');

/** What is printed about a run of these tests. Inside the repository, where they find vitest. */
function reportOf(tests: string): readonly string[] {
  const root = mkdtempSync(join(import.meta.dirname, '.summary-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const config = { test: { include: ['*.sample.ts'], reporters: [reporter] } };
  writeFileSync(join(root, 'vitest.config.ts'), `export default ${JSON.stringify(config)};\n`);
  writeFileSync(join(root, 'one.sample.ts'), `import * as v from 'vitest';\n${tests}\n`);
  const { stdout } = spawnSync(process.execPath, [vitest, 'run', '--root', root], { encoding: 'utf8' });
  return stdout.trimEnd().split('\n');
}

const fails = '(() => { throw new Error("no"); });';

it.each([
  [
    'beforeAll of a suite, whose tests are skipped',
    `v.it('a', () => {}); v.describe('s', () => { v.beforeAll${fails} v.it('b', () => {}); v.it('c', () => {}); });`,
    '1 passed, 1 failed, 2 skipped',
  ],
  [
    'afterAll of a suite',
    `v.describe('s', () => { v.afterAll${fails} v.it('b', () => {}); });`,
    '1 passed, 1 failed',
  ],
  ['beforeAll of a file', `v.beforeAll${fails} v.it('b', () => {});`, '0 passed, 1 failed, 1 skipped'],
])('the summary counts what fails: %s', (_, tests, line) => {
  expect(reportOf(tests).at(-1)).toBe(line);
});

it('the report names files that failed, and how much failed in none', () => {
  const well = reportOf(`v.it('a', () => {});`);
  expect(well.join()).not.toContain('failed file');
  expect(well.at(-1)).toBe('1 passed, 0 failed');
  const stray = `void Promise.reject(new Error('stray')); await new Promise((done) => setTimeout(done, 20));`;
  const lines = reportOf(`v.it('a', async () => { ${stray} throw new Error('no'); });`);
  expect(lines).toContain('failed file: one.sample.ts');
  expect(lines).toContain('failed outside: 1');
  expect(lines.at(-1)).toBe('0 passed, 2 failed');
});
