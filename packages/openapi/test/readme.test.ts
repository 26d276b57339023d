import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { OpenApiDocument } from '../src/index.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

afterEach(() => vi.restoreAllMocks());

describe('the README', () => {
  it('shows the program of example.ts', () => {
    const [, program] = /```ts\n([\s\S]*?)```/.exec(read('../README.md')) ?? [];
    expect(program).toBe(read('example.ts'));
  });

  it('shows a program that prints a document', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    await import('./example.ts');
    const document = JSON.parse(String(log.mock.calls[0]?.[0])) as OpenApiDocument;
    expect(document.paths['/tickets/{id}']?.get).toMatchObject({
      operationId: 'get_tickets_by_id',
      summary: 'Reads one ticket.',
      security: [{ apiKey: ['tickets:read'] }],
    });
  });
});
