import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const example = fileURLToPath(new URL('readme-example.ts', import.meta.url));

describe('README', () => {
  it('shows the program that is tested here', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    expect(/```ts\n(.*?)```/s.exec(readme)?.[1]).toBe(readFileSync(example, 'utf8'));
  });

  it('shows a program that runs, and ends', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--conditions=@waymark/source', example], {
      encoding: 'utf8',
    });
    expect({ lines: stdout.trim().split('\n'), stderr }).toEqual({
      lines: ['200 "hello bo, says ann"', 'a page of mine'],
      stderr: '',
    });
  });
});
