import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { visit } from './browser.ts';
import { sessionOf } from './official.ts';
import type { PeerSession } from './peer.ts';

/** The command `mcp-remote`. */
export const mcpRemoteProgram = join(import.meta.dirname, 'node_modules/mcp-remote/dist/proxy.js');

/** A bridge that runs. */
export interface Bridge extends PeerSession {
  readonly isRunning: () => boolean;
}

interface BridgeOptions {
  readonly key?: string;
  /** More of its flags. */
  readonly argv?: readonly string[];
  /** What a browser does at the page that it is led to. */
  readonly browse?: (page: URL) => Promise<unknown>;
}

/**
 * mcp-remote as hosts start it that speak to programs only, like Claude Desktop: the official client in front of it
 * stands for the host. With a key it is told by a variable; without one it signs in, and the address that it shows is
 * visited as a browser would.
 */
export async function connectMcpRemote(
  url: URL,
  { key, argv = [], browse = visit }: BridgeOptions,
): Promise<Bridge> {
  // It keeps tokens there, and locks for its siblings.
  const folder = mkdtempSync(join(tmpdir(), 'mcp-remote-'));
  const header = key === undefined ? [] : ['--header', 'x-api-key:${DESK_KEY}'];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [mcpRemoteProgram, url.href, ...header, ...argv],
    // No browser is to be found with these.
    env: { PATH: '/nowhere', HOME: folder, MCP_REMOTE_CONFIG_DIR: folder, ...(key && { DESK_KEY: key }) },
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (text: Buffer) => {
    said += text.toString();
    const [shown, address] = /authorize this client by visiting:\s+(http\S+)\s/.exec(said) ?? [];
    if (address === undefined) return;
    said = said.replace(shown ?? '', '');
    void browse(new URL(address));
  });
  const client = new Client({ name: 'host', version: '1.0.0' });
  await client.connect(transport);
  const { pid } = transport;
  return {
    ...sessionOf(client),
    isRunning: () => pid !== null && isRunning(pid),
    async close() {
      await client.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
