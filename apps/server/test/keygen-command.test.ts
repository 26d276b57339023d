import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { waymark } from './command-line.ts';

describe('waymark keygen', () => {
  it('prints the line for an .env file, another secret each time', async () => {
    verifies('cli.keygen');
    const { code, out, err } = await waymark('keygen', '--env', 'SHOP_KEY');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^SHOP_KEY=wm_[\w-]{43}\n$/);
    expect((await waymark('keygen', '--env', 'SHOP_KEY')).out).not.toBe(out);
  });

  it('names the variable after the id, and says beside it how to declare the key', async () => {
    const { out, err } = await waymark('keygen', '--id', 'cam-1', '--scopes', 'devices:ingest, devices:read');
    expect(out).toMatch(/^CAM_1_KEY=wm_[\w-]{43}\n$/);
    expect(err).toBe(
      `declare it: application.apiKey('CAM_1_KEY', 'cam-1', { scopes: ["devices:ingest", "devices:read"] })\n`,
    );
  });

  it('prints variable and secret as JSON', async () => {
    const { out } = await waymark('keygen', '--id', 'cam', '--json');
    expect(JSON.parse(out)).toEqual({
      env: 'CAM_KEY',
      secret: expect.stringMatching(/^wm_[\w-]{43}$/) as string,
    });
  });

  it.each([
    ['--env', 'MY KEY', '"MY KEY" is not the name of a variable'],
    ['--id', `it's`, `"it's" is not the id of a key`],
  ])('ends with 2 for %s %s', async (option, value, words) => {
    const { code, out, err } = await waymark('keygen', option, value);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(words);
  });
});
