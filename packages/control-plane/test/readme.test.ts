import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

describe('the README', () => {
  it('shows the program of example.ts', () => {
    const [, program] = /```ts\n([\s\S]*?)```/.exec(read('../README.md')) ?? [];
    expect(program).toBe(read('example.ts'));
  });

  it('shows a program that prints what it says', async () => {
    const log = vi.spyOn(console, 'log').mockReturnValue();
    await import('./example.ts');
    expect(log.mock.calls.map(([printed]) => printed)).toMatchObject([
      401,
      undefined,
      { tools: [{ name: 'get_hello', description: 'Greets.' }] },
      [{ text: 'PUT /name changes state and answers anybody', fix: 'give it scopes' }],
    ]);
    log.mockRestore();
  });
});
