import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startProgram } from './program.ts';

const root = join(import.meta.dirname, '..', '..');
const waymark = 'apps/server/bin/waymark.js';

let folder: string;
beforeAll(() => {
  // Inside the repository, so that the program finds its packages.
  folder = mkdtempSync(join(root, 'e2e', '.readme-'));
  const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  writeFileSync(join(folder, 'application.ts'), program);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the program of the README', () => {
  it('compiles as it is', () => {
    verifies('product.names');
    const tsconfig = {
      extends: join(root, 'tsconfig.base.json'),
      // By what was built of the packages, as its reader has them.
      compilerOptions: { customConditions: [] },
      include: ['*.ts'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
    const tsc = (): string =>
      execFileSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', folder], { encoding: 'utf8' });
    expect(tsc()).toBe('');
  });

  it('serves with the two commands below it', async () => {
    verifies('product.names', 'cli.start');
    const keygen = startProgram(waymark, { cwd: folder, argv: ['keygen', '--env', 'SUPPORT_KEY'] });
    expect(await keygen.ended()).toBe(0);
    writeFileSync(join(folder, '.env'), keygen.stdout());
    const [, key = ''] = keygen.stdout().trim().split('=');
    const server = startProgram(waymark, { cwd: folder, argv: ['start', 'application.ts', '--port', '0'] });
    onTestFinished(() => void server.child.kill('SIGKILL'));
    const [, url = ''] = await server.saying(/url +(http:\S+)/);
    const ask = async (
      path: string,
      headers: Readonly<Record<string, string>> = { 'x-api-key': key },
    ): Promise<unknown> => {
      const response = await fetch(url + path, { headers });
      return [response.status, await response.json()];
    };
    expect(await ask('/tickets/7/summary')).toEqual([200, { id: 7, text: 'a short summary' }]);
    expect(await ask('/tickets/7/summary?style=long')).toEqual([200, { id: 7, text: 'a long summary' }]);
    expect(await ask('/tickets/10/summary')).toMatchObject([404, { detail: 'there is no ticket 10' }]);
    expect(await ask('/tickets/seven/summary')).toMatchObject([422, {}]);
    expect(await ask('/tickets/7/summary', {})).toMatchObject([401, {}]);
    expect(await ask('/_svc/tools')).toMatchObject([
      200,
      { tools: [{ name: 'get_tickets_by_id_summary', description: 'Summarise a ticket.' }] },
    ]);
    server.child.kill('SIGTERM');
    expect(await server.ended()).toBe(0);
  });

  it('is served by the names that the table promises', async () => {
    verifies('name.operation-id');
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    expect(readme).toContain('`get_tickets_by_id_summary`');
    const server = startProgram(waymark, {
      cwd: folder,
      argv: ['start', '--port', '0'],
      env: { SUPPORT_KEY: 'a-key-of-more-than-16-bytes' },
    });
    onTestFinished(() => void server.child.kill('SIGKILL'));
    const [, url = ''] = await server.saying(/url +(http:\S+)/);
    const response = await fetch(`${url}/_svc/openapi.json`, {
      headers: { 'x-api-key': 'a-key-of-more-than-16-bytes' },
    });
    expect(await response.json()).toMatchObject({
      paths: { '/tickets/{id}/summary': { get: { operationId: 'get_tickets_by_id_summary' } } },
    });
  });
});
