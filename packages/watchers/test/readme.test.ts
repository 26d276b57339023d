import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { watchShapes } from '../src/declaration/watch-settings.ts';
import * as watchers from '../src/index.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

describe('the README', () => {
  it('names everything there is, and every option', () => {
    const options = Object.keys(watchShapes).filter((name) => name !== 'declaredAt');
    for (const name of [...Object.keys(watchers), ...options])
      expect(read('../README.md')).toContain(`\`${name}`);
  });

  it('shows the program of readme-example.ts, which finds nothing wrong', async () => {
    const [, program] = /```ts\n([\s\S]*?)```/.exec(read('../README.md')) ?? [];
    expect(program).toBe(read('readme-example.ts'));
    const log = vi.spyOn(console, 'log').mockReturnValue();
    await import('./readme-example.ts');
    expect(log.mock.calls).toEqual([]);
    log.mockRestore();
  });
});
