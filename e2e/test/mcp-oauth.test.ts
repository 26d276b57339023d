import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { verifies } from '@waymark/contract/testing';
import { createApplication } from '@waymark/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { es256, nowSecs } from './corpora/sign.ts';
import { type AuthorizationServer, authorizationServer, type Grant } from './mcp/authorization-server.ts';

const info = { name: 'test', version: '1' };

/** The two of them are asked for the same, and differ in what they make of a refusal. */
const clients = [
  {
    name: 'first',
    open: (url: string, provider: Provider) => {
      const transport = new FirstTransport(new URL(url), { authProvider: provider });
      return { client: new FirstClient(info), transport };
    },
  },
  {
    name: 'second',
    open: (url: string, provider: Provider) => {
      const transport = new ModernTransport(new URL(url), { authProvider: provider });
      return { client: new ModernClient(info), transport };
    },
  },
  {
    name: 'second, newest',
    open: (url: string, provider: Provider) => {
      const transport = new ModernTransport(new URL(url), { authProvider: provider });
      return { client: new ModernClient(info, { versionNegotiation: { mode: 'auto' as const } }), transport };
    },
  },
];

/** Keeps what a client has to keep, and walks through the browser's part by itself. */
class Provider {
  readonly redirectUrl = 'http://127.0.0.1:1/callback';
  readonly clientMetadata = { redirect_uris: [this.redirectUrl], client_name: 'test' };
  code = '';
  readonly #kept = new Map<string, unknown>();
  readonly clientInformation = () => this.#kept.get('client') as never;
  readonly saveClientInformation = (client: unknown): void => void this.#kept.set('client', client);
  readonly tokens = () => this.#kept.get('tokens') as never;
  readonly saveTokens = (tokens: unknown): void => void this.#kept.set('tokens', tokens);
  readonly discoveryState = () => this.#kept.get('discovery') as never;
  readonly saveDiscoveryState = (state: unknown): void => void this.#kept.set('discovery', state);
  readonly codeVerifier = () => String(this.#kept.get('verifier'));
  readonly saveCodeVerifier = (verifier: string): void => void this.#kept.set('verifier', verifier);
  readonly redirectToAuthorization = async (url: URL): Promise<void> => {
    const { headers } = await fetch(url, { redirect: 'manual' });
    this.code = new URL(headers.get('location') ?? '').searchParams.get('code') ?? '';
  };
}

/** As servers do that have a name of their own for each resource. */
const toToken = ({ issuer, scope }: Grant): string =>
  es256.token({ sub: 'ann', iss: issuer, aud: 'desk', exp: nowSecs + 3600, scope });

/** A desk whose tools need two scopes, and somebody who issues tokens for it. */
async function desk(): Promise<{ readonly url: string; readonly issuing: AuthorizationServer }> {
  const issuing = await authorizationServer(toToken, { '/jwks': { keys: [es256.jwk] } });
  const app = createApplication('desk', {
    port: 0,
    mcpScopes: ['mcp'],
    env: { LOG_LEVEL: 'silent' },
  });
  app.jwt({ issuer: issuing.issuer, audience: 'desk' });
  app.get('/who', { tool: true, scopes: ['who:read'] }, (_input, { user }) => user.id);
  app.post('/bell', { tool: true, toolName: 'ring_bell', scopes: ['bell:ring'] }, () => 'rung');
  const running = await app.listen();
  onTestFinished(() => void running.close());
  return { url: `${running.url}/_svc/mcp`, issuing };
}

describe.each(clients)('the $name official client', ({ open }) => {
  /** Connects as somebody at a browser would: refused, sent to sign in, back with a code. */
  async function connect(url: string, provider: Provider) {
    const refused = open(url, provider);
    await expect(refused.client.connect(refused.transport as never)).rejects.toThrow();
    await refused.transport.finishAuth(provider.code);
    const { client, transport } = open(url, provider);
    await client.connect(transport);
    onTestFinished(() => client.close());
    return { client, transport };
  }

  it('signs in once and sees every tool, where exactly what is asked is granted', async () => {
    verifies('mcp.auth.scopes', 'mcp.auth.metadata', 'mcp.auth.challenge');
    const { url, issuing } = await desk();
    const { client } = await connect(url, new Provider());
    expect(issuing.asked).toEqual(['mcp who:read bell:ring']);
    expect(issuing.resources).toEqual([url]);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['get_who', 'ring_bell']);
    expect(await client.callTool({ name: 'get_who', arguments: {} })).toMatchObject({
      content: [{ type: 'text', text: 'ann' }],
    });
  });

  it('steps up when its token lacks a scope, and keeps those it had', async () => {
    verifies('mcp.auth.step-up');
    const { url, issuing } = await desk();
    const provider = new Provider();
    // What a person grants who takes the tick from one box.
    provider.saveTokens({
      access_token: toToken({ issuer: issuing.issuer, scope: 'mcp who:read', resource: url }),
      token_type: 'Bearer',
      scope: 'mcp who:read',
      issuer: issuing.issuer,
    });
    const { client, transport } = open(url, provider);
    await client.connect(transport);
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['get_who']);
    const ring = () => client.callTool({ name: 'ring_bell', arguments: {} });
    await expect(ring()).rejects.toThrow();
    await transport.finishAuth(provider.code);
    expect(issuing.asked).toEqual(['mcp who:read bell:ring']);
    expect(await ring()).toMatchObject({ content: [{ type: 'text', text: 'rung' }] });
    // The list that it has may be kept for a while.
    const later = open(url, provider);
    await later.client.connect(later.transport);
    onTestFinished(() => later.client.close());
    const { tools } = await later.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['get_who', 'ring_bell']);
  });
});
