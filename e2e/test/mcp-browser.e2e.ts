import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { createApplication, type RunningApplication, Type } from '@waymark/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { es256 } from './corpora/sign.ts';
import { launchBrowser } from './device-pages.ts';
import { authorizationServer } from './mcp/authorization-server.ts';

const executablePath = inject('chromium');
const modules = join(import.meta.dirname, '../../node_modules');
const key = 'a-key-of-more-than-16-bytes';

/** The official client, as a page without a bundler reads it. */
const imports = {
  '@modelcontextprotocol/client': '/@modelcontextprotocol/client/dist/index.mjs',
  '@modelcontextprotocol/client/_shims': '/@modelcontextprotocol/client/dist/shimsBrowser.mjs',
  '@modelcontextprotocol/core/internal': '/@modelcontextprotocol/core/dist/internal.mjs',
  eventsource: '/eventsource/dist/index.js',
  'eventsource-parser': '/eventsource-parser/dist/index.js',
  'eventsource-parser/stream': '/eventsource-parser/dist/stream.js',
  'pkce-challenge': '/pkce-challenge/dist/index.browser.js',
  'zod/v4': '/zod/v4/index.js',
};
const html = `<!doctype html><title>client</title><script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module">globalThis.mcp = await import('@modelcontextprotocol/client');</script>`;

/** The members of the official client that the page uses. */
interface ClientModule {
  readonly Client: new (
    info: object,
    options: object,
  ) => {
    connect(transport: unknown): Promise<void>;
    listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
    callTool(call: object): Promise<{ readonly content: unknown }>;
    getNegotiatedProtocolVersion(): string | undefined;
    close(): Promise<void>;
  };
  readonly StreamableHTTPClientTransport: new (url: URL, options: object) => unknown;
}

/** In the page. */
declare const mcp: ClientModule;

describe.skipIf(executablePath === '')('the official client in a page of another origin', () => {
  let browser: Browser;
  let pages: Server;
  let origin: string;

  beforeAll(async () => {
    pages = createServer(({ url = '' }, res) => {
      if (url === '/') res.setHeader('content-type', 'text/html').end(html);
      else
        try {
          const text = readFileSync(join(modules, url));
          res.setHeader('content-type', 'text/javascript').end(text);
        } catch {
          res.writeHead(404).end();
        }
    });
    await once(pages.listen(0, '127.0.0.1'), 'listening');
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    browser = await launchBrowser(executablePath, ['--no-proxy-server']);
  });
  afterAll(async () => {
    await browser?.close();
    pages?.closeAllConnections();
    pages?.close();
  });

  async function desk(issuer: string, origins: readonly string[]): Promise<RunningApplication> {
    const app = createApplication('desk', {
      port: 0,
      mcpScopes: ['mcp'],
      env: { LOG_LEVEL: 'silent', KEY: key },
    });
    app.apiKey('KEY', 'operator', { scopes: ['mcp'] });
    app.jwt({ issuer, audience: 'desk' });
    app.get(
      '/where',
      { tool: true, toolName: 'where', input: { region: Type.String() } },
      ({ region }) => `in ${region}`,
    );
    app.get(
      '/marked',
      { tool: true, toolName: 'marked', input: { region: Type.String({ 'x-mcp-header': 'Region' }) } },
      ({ region }) => `marked ${region}`,
    );
    // Headers for the application's own routes say nothing of MCP.
    app.cors(origins, { headers: ['x-mine'] });
    const running = await app.listen();
    onTestFinished(() => running.close());
    return running;
  }

  async function newPage(): Promise<Page> {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(origin);
    await page.waitForFunction('globalThis.mcp');
    return page;
  }

  it.each(['legacy', 'auto'])('connects with a key, lists and calls, %s', async (mode) => {
    verifies('mcp.cors', 'http.cors.own-headers');
    const { url } = await desk('https://login.example.com', [origin]);
    const page = await newPage();
    const seen = await page.evaluate(
      async ([endpoint, secret, chosen]) => {
        const { Client, StreamableHTTPClientTransport } = mcp;
        const client = new Client({ name: 'page', version: '1' }, { versionNegotiation: { mode: chosen } });
        const requestInit = { headers: { 'x-api-key': secret } };
        await client.connect(new StreamableHTTPClientTransport(new URL(endpoint), { requestInit }));
        const { tools } = await client.listTools();
        const { content } = await client.callTool({ name: 'where', arguments: { region: 'eu' } });
        const revision = client.getNegotiatedProtocolVersion();
        await client.close();
        return { names: tools.map(({ name }) => name), content, revision };
      },
      [`${url}/_svc/mcp`, key, mode] as const,
    );
    expect(seen).toEqual({
      names: ['where', 'marked'],
      content: [{ type: 'text', text: 'in eu' }],
      revision: mode === 'auto' ? '2026-07-28' : '2025-11-25',
    });
  });

  it('may repeat a parameter in a header, which the official one does not do in a page', async () => {
    verifies('mcp.cors', 'http.cors.own-headers');
    const { url } = await desk('https://login.example.com', [origin]);
    const page = await newPage();
    const answer = await page.evaluate(
      async ([endpoint, secret]) => {
        const meta = 'io.modelcontextprotocol';
        const response = await fetch(endpoint, {
          method: 'POST',
          headers: {
            ...{ 'content-type': 'application/json', 'x-api-key': secret },
            ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'marked' },
            ...{ 'mcp-param-region': 'eu', 'mcp-session-id': 'none', 'last-event-id': '1' },
          },
          body: JSON.stringify({
            ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
            params: {
              ...{ name: 'marked', arguments: { region: 'eu' } },
              _meta: { [`${meta}/protocolVersion`]: '2026-07-28', [`${meta}/clientCapabilities`]: {} },
            },
          }),
        });
        return response.json();
      },
      [`${url}/_svc/mcp`, key] as const,
    );
    expect(answer).toMatchObject({ result: { content: [{ type: 'text', text: 'marked eu' }] } });
  });

  it('is led from the refusal to who issues tokens', async () => {
    verifies('mcp.cors', 'mcp.auth.challenge', 'mcp.auth.metadata');
    const issuing = await authorizationServer(() => '', { '/jwks': { keys: [es256.jwk] } });
    const { url } = await desk(issuing.issuer, [origin]);
    const page = await newPage();
    const asked = await page.evaluate(async (endpoint) => {
      const { Client, StreamableHTTPClientTransport } = mcp;
      const kept = new Map<string, unknown>();
      const keep = (name: string) => (value: unknown) => void kept.set(name, value);
      const authProvider = {
        redirectUrl: 'http://127.0.0.1:1/callback',
        clientMetadata: { redirect_uris: ['http://127.0.0.1:1/callback'], client_name: 'page' },
        clientInformation: () => kept.get('client'),
        saveClientInformation: keep('client'),
        tokens: () => undefined,
        saveTokens: keep('tokens'),
        codeVerifier: () => '',
        saveCodeVerifier: keep('verifier'),
        discoveryState: () => kept.get('state'),
        saveDiscoveryState: keep('state'),
        redirectToAuthorization: keep('sent to'),
      };
      const client = new Client({ name: 'page', version: '1' }, {});
      await client
        .connect(new StreamableHTTPClientTransport(new URL(endpoint), { authProvider }))
        .catch(() => {});
      return String(kept.get('sent to'));
    }, `${url}/_svc/mcp`);
    expect(asked.startsWith(`${issuing.issuer}/authorize?`)).toBe(true);
    const { searchParams } = new URL(asked);
    expect([searchParams.get('scope'), searchParams.get('resource')]).toEqual(['mcp', `${url}/_svc/mcp`]);
  });

  it('is kept out where its origin is not listed', async () => {
    verifies('http.browser.cross-origin');
    const { url } = await desk('https://login.example.com', ['https://app.example.com']);
    const page = await newPage();
    const outcome = await page.evaluate(
      async ([endpoint, secret]) =>
        fetch(endpoint, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': secret },
          body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
        }).then(
          () => 'read',
          () => 'refused',
        ),
      [`${url}/_svc/mcp`, key] as const,
    );
    expect(outcome).toBe('refused');
  });
});
