import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as pages from '../src/index.ts';
import { folderOf } from './serve.ts';

const text = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

describe('the README', () => {
  it('names everything there is', () => {
    for (const name of Object.keys(pages)) expect(text).toContain(`\`${name}`);
  });

  it('shows a program that finds nothing wrong, and says what is', () => {
    const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(text) ?? [];
    const files = {
      'templates/board.hbs': '{{#each tickets}}{{title}}{{/each}}',
      'templates/hello.hbs': '{{greeting}}',
      'public/style.css': '',
    };
    const run = (folder: string) => {
      const source = program
        .replace("'templates'", JSON.stringify(join(folder, 'templates')))
        .replace("'public'", JSON.stringify(join(folder, 'public')));
      const args = ['--conditions=@waymark/source', '--input-type=module-typescript', '--eval', source];
      const { stdout, stderr } = spawnSync(process.execPath, args, {
        cwd: import.meta.dirname,
        encoding: 'utf8',
      });
      return { stdout, stderr };
    };
    expect(run(folderOf(files))).toEqual({ stdout: '', stderr: '' });
    const { stdout } = run(folderOf({ ...files, 'templates/hello.hbs': 'a\n{{{greeting}}}' }));
    expect(stdout).toMatch(
      /^\/.*\/templates\/hello\.hbs:2 {2}template "hello\.hbs": .*; write \{\{greeting\}\}\n$/,
    );
  });
});
