import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from './open.ts';

describe('the README', () => {
  it('shows a program that runs', () => {
    const text = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
    const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(text) ?? [];
    // As it stands, in a folder that holds nothing but the packages.
    const folder = testFolder();
    symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(folder, 'node_modules'));
    const args = ['--conditions=@waymark/source', '--input-type=module-typescript', '--eval', program];
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: folder,
      encoding: 'utf8',
    });
    expect({ stdout, stderr }).toEqual({ stdout: "[ { id: 1, title: 'No light' } ]\n[]\n", stderr: '' });
  });
});
