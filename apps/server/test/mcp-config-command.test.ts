import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, vi } from 'vitest';
import { applicationText, desk, inFolder, waymark } from './command-line.ts';

describe('waymark mcp-config', () => {
  it('prints what Claude Code reads, and says where it belongs', async () => {
    verifies('cli.mcp-config');
    inFolder({ 'application.ts': desk });
    const { code, out, err } = await waymark('mcp-config', '--client', 'claude', '--key-env', 'READER_KEY');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      mcpServers: {
        desk: {
          type: 'http',
          url: 'http://127.0.0.1:8000/_svc/mcp',
          headers: { 'x-api-key': '${READER_KEY}' },
        },
      },
    });
    expect(err).toBe('this belongs in .mcp.json; set READER_KEY where claude is started\n');
  });

  it('prints what Cursor reads', async () => {
    inFolder({ 'application.ts': desk });
    const { out } = await waymark('mcp-config', '--client', 'cursor', '--url', 'https://desk.example.com/');
    expect(JSON.parse(out)).toEqual({
      mcpServers: {
        desk: { url: 'https://desk.example.com/_svc/mcp', headers: { 'x-api-key': '${env:API_KEY}' } },
      },
    });
  });

  it('prints what VS Code reads, which asks for the key itself', async () => {
    inFolder({ 'application.ts': desk });
    const { out } = await waymark('mcp-config', '--client', 'vscode', '--key-env', 'READER_KEY');
    expect(JSON.parse(out)).toEqual({
      inputs: [{ type: 'promptString', id: 'READER_KEY', description: 'API key of desk', password: true }],
      servers: {
        desk: {
          type: 'http',
          url: 'http://127.0.0.1:8000/_svc/mcp',
          headers: { 'x-api-key': '${input:READER_KEY}' },
        },
      },
    });
  });

  it('asks for no key where none is declared, and follows prefix and port', async () => {
    inFolder({ 'application.ts': applicationText('', `{ controlPrefix: '/control' }`) });
    vi.stubEnv('PORT', '9000');
    const { out } = await waymark('mcp-config', '--client', 'claude', '--json');
    expect(JSON.parse(out)).toEqual({
      mcpServers: { desk: { type: 'http', url: 'http://127.0.0.1:9000/control/mcp' } },
    });
  });

  it('needs no application', async () => {
    inFolder();
    const { code, out } = await waymark(
      'mcp-config',
      '--client',
      'cursor',
      '--url',
      'https://desk.example.com',
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      mcpServers: { waymark: { headers: expect.anything() as unknown } },
    });
  });

  it('never prints the key', async () => {
    inFolder({ 'application.ts': desk });
    vi.stubEnv('READER_KEY', 'reader-key-of-the-test');
    const { out, err } = await waymark('mcp-config', '--client', 'claude', '--key-env', 'READER_KEY');
    expect(out + err).not.toContain('reader-key-of-the-test');
  });

  it.each([[[]], [['--client', 'emacs']]])('ends with 2 for %j', async (argv) => {
    inFolder();
    const { code, err } = await waymark('mcp-config', ...argv);
    expect(code).toBe(2);
    expect(err).toMatch(/client/);
  });
});
