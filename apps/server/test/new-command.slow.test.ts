import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { inFolder, waymark } from './command-line.ts';

const root = join(import.meta.dirname, '..', '..', '..');

describe('waymark new', () => {
  it('has tests that pass at once, types that hold, and nothing to correct', async () => {
    verifies('cli.new');
    const folder = inFolder();
    await waymark('new', 'desk');
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const argv = ['--conditions=@waymark/source', '--test', '--test-reporter=tap'];
    const options = { cwd: join(folder, 'desk'), env: { PATH, NODE_COMPILE_CACHE } };
    expect(execFileSync(process.execPath, argv, options).toString()).toMatch(/^# pass 2$[\s\S]*^# fail 0$/m);
    // The sources of the packages hold by our own settings; the drill takes the template's, and packages.
    const tsconfig = { extends: join(root, 'tsconfig.base.json'), include: ['*.ts'] };
    writeFileSync('desk/tsconfig.json', JSON.stringify(tsconfig));
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'desk']);
    process.chdir('desk');
    expect(await waymark('check')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^0 problems, /m) as string,
    });
  });
});
