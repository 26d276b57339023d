import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

describe('the READMEs, for schemas of libraries', () => {
  it.each([
    ['../../apps/server/README.md', 'libraries-example.ts'],
    ['../../packages/contract/README.md', 'libraries-contract-example.ts'],
  ])('%s shows the program of %s', (readme, program) => {
    expect(read(readme)).toContain(`\`\`\`ts\n${read(program)}\`\`\``);
  });

  it('show a program that serves what it says', async () => {
    vi.stubEnv('PORT', '0');
    vi.stubEnv('LOG_LEVEL', 'silent');
    const { running } = await import('./libraries-example.ts');
    const post = async (path: string, body: object): Promise<unknown> => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(running.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return [answer.status, await answer.json()];
    };
    expect(await post('/orders', { order: { title: 'Ink' } })).toEqual([200, { title: 'Ink', count: 1 }]);
    expect(await post('/orders', { order: { title: '' } })).toMatchObject([
      422,
      { errors: [{ path: '/order/title' }] },
    ]);
    expect(await post('/notes', { text: 'hello' })).toEqual([200, 'hello']);
    const one = await fetch(`${running.url}/orders/7?since=2026-11-20`);
    expect(await one.json()).toEqual({ id: 7, year: 2026 });
    vi.unstubAllEnvs();
    await running.close();
  });

  it('show a tool that is described by its libraries', async () => {
    const { tool } = await import('./libraries-contract-example.ts');
    expect(tool).toMatchObject({
      inputSchema: {
        properties: {
          city: { type: 'string', minLength: 2 },
          days: { type: 'integer', minimum: 1, maximum: 7 },
        },
        required: ['city', 'days'],
        additionalProperties: false,
      },
      outputSchema: { properties: { sky: { enum: ['clear', 'grey'] } } },
    });
  });
});
