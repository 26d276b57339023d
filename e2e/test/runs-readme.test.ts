import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

describe('the README of the runs', () => {
  it('shows the program of runs-readme.ts', () => {
    const [, program] = /```ts\n([\s\S]*?)```/.exec(read('../../packages/runs/README.md')) ?? [];
    expect(program).toBe(read('runs-readme.ts'));
  });

  it('shows a program that runs and prints what it says', async () => {
    const before = process.cwd();
    const folder = mkdtempSync(join(tmpdir(), 'waymark-runs-'));
    const log = vi.spyOn(console, 'log').mockReturnValue();
    onTestFinished(() => {
      log.mockRestore();
      process.chdir(before);
      rmSync(folder, { recursive: true });
    });
    process.chdir(folder);
    await import('./runs-readme.ts');
    expect(log.mock.calls).toEqual([[{ ok: true, status: 200, value: { lamp: 'broken' } }]]);
  });
});
