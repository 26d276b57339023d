import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeProject, type Project } from './generated.ts';
import { startServer } from './server.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

describe('the README', () => {
  let project: Project;
  beforeAll(async () => {
    project = await makeProject('');
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await project.remove();
  });

  it('shows the program of example.ts', () => {
    const [, program] = /```ts\n([\s\S]*?)```/.exec(read('../README.md')) ?? [];
    expect(program).toBe(read('example.ts'));
  });

  it('shows a program that writes a client, and how that is used', async () => {
    vi.stubEnv('CLIENT', join(project.folder, 'desk-client.ts'));
    await import('./example.ts');
    const [, use = ''] = /```ts\n[\s\S]*?```[\s\S]*?```ts\n([\s\S]*?)```/.exec(read('../README.md')) ?? [];
    const server = await startServer();
    server.answer({ headers: { 'content-type': 'application/json' }, body: '{"id":7,"title":"Printer"}' });
    vi.stubEnv('DESK_URL', server.url);
    vi.stubEnv('DESK_KEY', 'secret');
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    await project.write('use.ts', use);
    await project.load('use.ts');
    expect(log).toHaveBeenCalledWith('Printer');
    expect(server.seen[0]).toMatchObject({ url: '/tickets/7', headers: { 'x-api-key': 'secret' } });
    await server.close();
    log.mockRestore();
  });
});
