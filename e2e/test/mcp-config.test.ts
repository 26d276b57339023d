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
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

describe('waymark mcp-config', () => {
  it.each(['claude', 'cursor', 'vscode'])('prints what lets %s connect', async (client) => {
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
    const headers = Object.fromEntries(
      Object.entries(entry.headers).map(([name, value]) => [
        name,
        value.replace(/\$\{(?:\w+:)?DESK_KEY\}/, key),
      ]),
    );
    const session = new Client({ name: client, version: '1.0.0' });
    await session.connect(
      new StreamableHTTPClientTransport(new URL(entry.url), { requestInit: { headers } }),
    );
    onTestFinished(() => session.close());
    expect((await session.listTools()).tools.map(({ name }) => name)).toEqual(['hello']);
    expect(printed).not.toContain(key);
  });
});
