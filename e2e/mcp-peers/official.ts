import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { type Connect, type PeerSession, toAnswer, transportOptions } from './peer.ts';

const info = { name: 'peer', version: '1.0.0' };

/** The first generation of the official client. */
export const connectV1: Connect = async (url, access) => {
  const client = new ClientV1(info);
  await client.connect(new TransportV1(url, transportOptions(access)));
  return sessionOf(client);
};

/** The second generation, in one of the ways in which it can open. */
export function connectV2(mode: VersionNegotiationMode): Connect {
  return async (url, access) => {
    const client = new ClientV2(info, { versionNegotiation: { mode } });
    await client.connect(new TransportV2(url, transportOptions(access)));
    return sessionOf(client);
  };
}

/** A session over an official client, whatever it is connected by. */
export function sessionOf(client: ClientV1 | ClientV2): PeerSession {
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    // The first generation has a second form of results, which no server has answered since 2024.
    call: async (name, values) =>
      toAnswer((await client.callTool({ name, ...(values && { arguments: values }) })) as CallToolResult),
    close: () => client.close(),
  };
}
