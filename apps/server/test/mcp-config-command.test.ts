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
        desk: { url: 'https://desk.example.com/_svc/mcp', headers: { 'x-api-key': '${env:READER_KEY}' } },
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

  it('prints what Windsurf reads', async () => {
    inFolder({ 'application.ts': desk });
    const { out, err } = await waymark('mcp-config', '--client', 'windsurf');
    expect(JSON.parse(out)).toEqual({
      mcpServers: {
        desk: {
          serverUrl: 'http://127.0.0.1:8000/_svc/mcp',
          headers: { 'x-api-key': '${env:READER_KEY}' },
        },
      },
    });
    expect(err).toBe(
      'this belongs in ~/.codeium/windsurf/mcp_config.json; set READER_KEY where Windsurf is started\n',
    );
  });

  it.each([
    [
      'claude-desktop',
      'this belongs in claude_desktop_config.json (Settings, Developer, Edit Config); write what READER_KEY holds for <READER_KEY>, and commit it nowhere\n',
    ],
    [
      'mcp-remote',
      'this is for clients that can only start a command; write what READER_KEY holds for <READER_KEY>, and commit it nowhere\n',
    ],
  ])('prints for %s a command that speaks for it', async (client, advice) => {
    inFolder({ 'application.ts': desk });
    const { out, err } = await waymark('mcp-config', '--client', client);
    expect(JSON.parse(out)).toEqual({
      mcpServers: {
        desk: {
          command: 'npx',
          args: ['-y', 'mcp-remote', 'http://127.0.0.1:8000/_svc/mcp', '--header', 'x-api-key:${READER_KEY}'],
          env: { READER_KEY: '<READER_KEY>' },
        },
      },
    });
    expect(err).toBe(advice);
    // Elsewhere it wants to be told that the network is trusted.
    const argsOf = async (url: string): Promise<readonly string[]> => {
      const printed = await waymark('mcp-config', '--client', client, '--url', url);
      return (JSON.parse(printed.out) as { mcpServers: { desk: { args: string[] } } }).mcpServers.desk.args;
    };
    expect(await argsOf('http://10.0.0.7:8000')).toContain('--allow-http');
    expect(await argsOf('https://desk.example.com')).not.toContain('--allow-http');
  });

  const variable = async (body: string, options = '{}'): Promise<unknown> => {
    inFolder({ 'application.ts': applicationText(body, options) });
    const { out } = await waymark('mcp-config', '--client', 'claude');
    return (JSON.parse(out) as { mcpServers: { desk: { headers?: object } } }).mcpServers.desk.headers;
  };

  it.each([
    [
      'the declared one',
      `application.apiKey('OWNER_KEY', 'owner', { scopes: ['svc:admin'] });`,
      '{}',
      'OWNER_KEY',
    ],
    [
      'one that reaches MCP',
      `application.apiKey('CAM_KEY', 'cam').apiKey('OWNER_KEY', 'owner', { scopes: ['svc:admin'] });`,
      '{}',
      'OWNER_KEY',
    ],
    [
      'the one that may do least',
      `application.apiKey('OWNER_KEY', 'owner', { scopes: ['svc:admin', 'mcp'] }).apiKey('READER_KEY', 'reader', { scopes: ['mcp'] });`,
      `{ mcpScopes: ['mcp'] }`,
      'READER_KEY',
    ],
    [
      'the first, where none reaches it',
      `application.apiKey('CAM_KEY', 'cam').apiKey('B_KEY', 'b');`,
      '{}',
      'CAM_KEY',
    ],
  ])('names the variable of %s', async (_, body, options, name) => {
    expect(await variable(body, options)).toEqual({ 'x-api-key': `\${${name}}` });
  });

  const signIn = `application.jwt('JWT_SECRET', { issuer: 'https://id.example.com' });`;

  it.each(['claude', 'cursor', 'vscode', 'windsurf', 'claude-desktop', 'mcp-remote'])(
    'lets %s sign in where tokens of an issuer are taken and no key is declared',
    async (client) => {
      inFolder({ 'application.ts': applicationText(signIn) });
      const { code, out, err } = await waymark('mcp-config', '--client', client);
      expect(code).toBe(0);
      expect(out).not.toMatch(/header|inputs|env|KEY/);
      expect(err).toMatch(/; it asks you to sign in at https:\/\/id\.example\.com\n$/);
    },
  );

  it('prefers a key to signing in, and shows a token of an issuer that nobody named', async () => {
    expect(
      await variable(`${signIn}\napplication.apiKey('OWNER_KEY', 'owner', { scopes: ['svc:admin'] });`),
    ).toEqual({ 'x-api-key': '${OWNER_KEY}' });
    expect(await variable(`application.jwt('JWT_SECRET');`)).toEqual({
      authorization: 'Bearer ${ACCESS_TOKEN}',
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

  it.each([[[]], [['--client', 'emacs']], [['--client', 'claude', '--url', 'desk']]])(
    'ends with 2 for %j',
    async (argv) => {
      inFolder();
      const { code, err } = await waymark('mcp-config', ...argv);
      expect(code).toBe(2);
      expect(err).toMatch(/client|--url desk is no address; write http:\/\/desk/);
    },
  );
});
