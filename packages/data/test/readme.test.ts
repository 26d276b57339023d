import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from './open.ts';

describe('the README', () => {
  it('shows a program that runs', { timeout: 60_000 }, () => {
    const text = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
    const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(text) ?? [];
    const folder = testFolder();
    mkdirSync(join(folder, 'data'));
    const source = program.replace('sqlite://data', `sqlite://${folder}/data`);
    const args = ['--conditions=@waymark/source', '--input-type=module-typescript', '--eval', source];
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    });
    expect({ stdout, stderr }).toEqual({ stdout: "[ { id: 1, title: 'No light' } ]\n[]\n", stderr: '' });
  });
});
