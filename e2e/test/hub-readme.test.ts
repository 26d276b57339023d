import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as deviceHub from '@waymark/device-hub';
import { describe, expect, it, vi } from 'vitest';
import { picture } from './hub-pictures.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');
const readme = read('../../packages/device-hub/README.md');

describe('the README of the device hub', () => {
  it('shows the program of hub-readme.ts', () => {
    const [, program] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
    expect(program).toBe(read('hub-readme.ts'));
  });

  it('names everything that can be called', () => {
    for (const [name, value] of Object.entries(deviceHub))
      if (typeof value === 'function') expect(readme).toContain(`\`${name}(`);
  });
});

describe('the program of the README', () => {
  it('takes a frame and shows it to whoever has the key', async () => {
    vi.stubEnv('HUB_KEY', 'the-key');
    vi.stubEnv('PORT', '0');
    const { url, close } = await import('./hub-readme.ts');
    const headers = { 'x-api-key': 'the-key' };
    const posted = await fetch(`${url}/devices/door/frames`, { method: 'POST', headers, body: picture() });
    expect(await posted.json()).toEqual({ device: 'door', seq: 1 });
    const latest = await fetch(`${url}/devices/door/latest`, { headers });
    expect(Buffer.from(await latest.arrayBuffer())).toEqual(picture());
    expect((await fetch(`${url}/devices/door/latest`)).status).toBe(401);
    vi.unstubAllEnvs();
    await close();
  });
});
