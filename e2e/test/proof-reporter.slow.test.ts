import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { project } from '../../vitest.shared.ts';

const proofs = join(import.meta.dirname, '../proofs');
const vitest = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');

/** Runs test files of its own, inside the repository, where they find vitest. */
function run(files: readonly string[]) {
  const root = mkdtempSync(join(import.meta.dirname, '.proofs-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const { resolve, ssr } = project('sample', { include: [] });
  const config = {
    ...{ resolve, ssr },
    test: {
      ...{ name: 'sample', include: ['*.sample.ts'], isolate: false },
      setupFiles: [join(proofs, 'note-verified.ts')],
      reporters: ['default', join(proofs, 'proof-reporter.ts')],
    },
  };
  writeFileSync(join(root, 'vitest.config.ts'), `export default ${JSON.stringify(config)};\n`);
  for (const [i, text] of files.entries())
    writeFileSync(
      join(root, `${i}.sample.ts`),
      `import { verifies } from '@waymark/contract/testing';\nimport { describe, it } from 'vitest';\n${text}\n`,
    );
  const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, 'run', '--root', root], {
    encoding: 'utf8',
    env: { ...process.env, PROOFS: join(root, 'out') },
  });
  const ids = (): unknown => JSON.parse(readFileSync(join(root, 'out/sample.json'), 'utf8'));
  return { status, stdout, stderr, ids };
}

it('counts what tests cite that have passed, in every file', () => {
  const { stdout, ids } = run([
    `it('passes', () => verifies('run.survives', 'run.survives'));
     it('fails', () => { verifies('run.takeover'); throw new Error('no'); });
     it.skip('is skipped', () => verifies('run.ready'));
     it('fails later', async () => { verifies('run.fork'); await Promise.reject(new Error('no')); });`,
    `describe('s', () => { it.each([1, 2])('passes %i', () => verifies('cli.start')); });
     it('passes late', async () => { await 1; verifies('run.location'); });`,
  ]);
  expect(ids()).toEqual(['cli.start', 'run.location', 'run.survives']);
  expect(stdout).toMatch(/^proved in this run: 3 of \d+ requirements$/m);
});

it('takes no citation outside of a test', () => {
  const { status, stdout, stderr } = run([
    `describe('s', () => { verifies('run.survives'); it('a', () => {}); });`,
  ]);
  expect(status).toBe(1);
  expect(stdout + stderr).toContain('verifies(run.survives) stands outside of a test');
});
