import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { templateNames } from 'create-waymark';
import { describe, expect, it } from 'vitest';
import { inFolder, waymark } from './command-line.ts';

const root = join(import.meta.dirname, '..', '..', '..');

describe('an application of waymark new', () => {
  it('has tests that pass at once, types that hold, and nothing to correct, whatever its template', async () => {
    verifies('cli.new', 'getting.tests', 'getting.check');
    const folder = inFolder();
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    for (const template of templateNames) {
      await waymark('new', template, '--template', template);
      const options = { cwd: join(folder, template), env: { PATH, NODE_COMPILE_CACHE } };
      const argv = ['--test', '--test-reporter=tap'];
      const said = execFileSync(process.execPath, argv, options).toString();
      expect([template, said]).toEqual([
        template,
        expect.stringMatching(/^# pass [1-9]\d*$[\s\S]*^# fail 0$/m),
      ]);
      process.chdir(template);
      expect([template, await waymark('check', '--dev', '--strict')]).toEqual([
        template,
        { code: 0, out: '0 problems, 0 warnings\n', err: '' },
      ]);
      process.chdir(folder);
    }
    // By our own settings, and what was built of the packages; the drill takes those of the template, and packages.
    const include = templateNames.map((name) => `${name}/*.ts`);
    writeFileSync(
      'tsconfig.json',
      JSON.stringify({
        extends: join(root, 'tsconfig.base.json'),
        compilerOptions: { noPropertyAccessFromIndexSignature: false, customConditions: [] },
        include,
      }),
    );
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', '.'], { stdio: 'inherit' });
  });
});
