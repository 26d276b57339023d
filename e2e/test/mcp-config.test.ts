import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { verifies } from '@waymark/contract/testing';
import { createApplication } from '@waymark/server';
import { run } from '@waymark/server/cli';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

/** What the clients have in common in their files. */
interface Configuration {
  readonly mcpServers?: Readonly<Record<string, Entry>>;
  readonly servers?: Readonly<Record<string, Entry>>;
}

interface Entry {
  readonly url?: string;
  readonly serverUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a command that speaks for its client: the address is the third, the header the last. */
  readonly args?: readonly string[];
}

/** Where a client connects, and with which headers, before it fills in what the variable holds. */
function readEntry({ url, serverUrl, headers = {}, args = [] }: Entry): {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const [name = '', value] = args.at(-1)?.split(':') ?? [];
  return {
    address: url ?? serverUrl ?? args[2] ?? '',
    headers: value === undefined ? headers : { [name]: value },
  };
}

describe('waymark mcp-config', () => {
  it.each(['claude', 'claude-desktop', 'cursor', 'vscode', 'windsurf', 'mcp-remote'])(
    'prints what lets %s connect',
    async (client) => {
      verifies('cli.mcp-config');
      const key = 'a-key-of-more-than-16-bytes';
      const application = createApplication('desk', { port: 0, env: { DESK_KEY: key, LOG_LEVEL: 'silent' } });
      application.apiKey('DESK_KEY', 'clerk', { scopes: ['svc:admin'] });
      application.get('/hello', { tool: true, toolName: 'hello' }, () => 'hi');
      const { url, close } = await application.listen();
      onTestFinished(close);
      const argv = ['mcp-config', '--client', client, '--url', url, '--key-env', 'DESK_KEY', '--json'];
      const log = vi.spyOn(console, 'log').mockImplementation(() => {});
      onTestFinished(() => log.mockRestore());
      expect(await run(argv)).toBe(0);
      const printed = log.mock.calls.join('\n');
      const { mcpServers, servers } = JSON.parse(printed) as Configuration;
      const [entry] = Object.values(mcpServers ?? servers ?? {});
      if (!entry) throw new Error(`no server in ${printed}`);
      // What the client does with a placeholder: ${DESK_KEY}, ${env:DESK_KEY}, ${input:DESK_KEY}.
      const { address, headers: written } = readEntry(entry);
      const headers = Object.fromEntries(
        Object.entries(written).map(([name, value]) => [name, value.replace(/\$\{(?:\w+:)?DESK_KEY\}/, key)]),
      );
      const session = new Client({ name: client, version: '1.0.0' });
      await session.connect(
        new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }),
      );
      onTestFinished(() => session.close());
      expect((await session.listTools()).tools.map(({ name }) => name)).toEqual(['hello']);
      expect(printed).not.toContain(key);
    },
  );
});
