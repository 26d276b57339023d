import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** What the tests need of a client, whichever generation it is of. */
export interface Session {
  readonly revision: string | undefined;
  server(): unknown;
  instructions(): string | undefined;
  ping(): Promise<unknown>;
  tools(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  call(
    name: string,
    values?: Record<string, unknown>,
    options?: CallOptions,
  ): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

/** What a caller may add to a call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: {
    readonly progress: number;
    readonly total?: number | undefined;
  }) => void;
}

/** A way to use an official client. */
export interface ClientMode {
  readonly name: string;
  /** What it ends up speaking. */
  readonly revision: string;
  connect(url: string, key: string): Promise<Session>;
}

/** Both generations of the official client, in every mode they have. */
export const clientModes: readonly ClientMode[] = [
  { name: 'client v1', revision: '2025-11-25', connect: connectV1 },
  { name: 'client v2, legacy', revision: '2025-11-25', connect: v2('legacy') },
  { name: 'client v2, auto', revision: '2026-07-28', connect: v2('auto') },
  { name: 'client v2, pinned', revision: '2026-07-28', connect: v2({ pin: '2026-07-28' }) },
];

const clientInfo = { name: 'e2e', version: '1.0.0' };

async function connectV1(url: string, key: string): Promise<Session> {
  const client = new ClientV1(clientInfo);
  const transport = new TransportV1(endpointOf(url), withKey(key));
  await client.connect(transport);
  return {
    ...shared(client),
    revision: transport.protocolVersion,
    call: (name, values, options) =>
      client.callTool({ name, ...(values && { arguments: values }) }, undefined, options),
  };
}

function v2(mode: VersionNegotiationMode): ClientMode['connect'] {
  return async (url, key) => {
    const client = new ClientV2(clientInfo, { versionNegotiation: { mode } });
    await client.connect(new TransportV2(endpointOf(url), withKey(key)));
    return {
      ...shared(client),
      revision: client.getNegotiatedProtocolVersion(),
      call: (name, values, options) =>
        client.callTool({ name, ...(values && { arguments: values }) }, options),
    };
  };
}

function shared(client: ClientV1 | ClientV2): Omit<Session, 'call' | 'revision'> {
  return {
    server: () => client.getServerVersion(),
    instructions: () => client.getInstructions(),
    ping: () => client.ping(),
    tools: async () => (await client.listTools()).tools,
    close: () => client.close(),
  };
}

function endpointOf(url: string): URL {
  return new URL('/_svc/mcp', url);
}

function withKey(key: string): { readonly requestInit: RequestInit } {
  return { requestInit: { headers: { 'x-api-key': key } } };
}
