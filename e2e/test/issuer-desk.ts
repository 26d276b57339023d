import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApplication, type RunningApplication } from '@waymark/server';
import { onTestFinished } from 'vitest';

export const key = 'a-key-of-more-than-16-bytes';

/** Somebody who publishes keys in a way of the test's own; `keys` are asked for at `/keys`. */
export async function startIssuer(keys: RequestListener, keysUri?: (url: string) => string) {
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(req.url ?? '');
    if (req.url === '/keys') keys(req, res);
    else if (req.url === '/.well-known/openid-configuration')
      res.end(JSON.stringify({ issuer: url, jwks_uri: keysUri?.(url) ?? `${url}/keys` }));
    else res.writeHead(404).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked };
}

/** An application that takes its tokens, and keys. */
export async function startDesk(issuer: string): Promise<RunningApplication> {
  const app = createApplication('desk', {
    port: 0,
    mcpScopes: ['mcp'],
    publicUrl: 'http://localhost:8000',
    env: { LOG_LEVEL: 'silent', KEY: key },
  });
  app.apiKey('KEY', 'operator');
  app.jwt({ issuer });
  app.get('/who', (_input, { user }) => user.id);
  const running = await app.listen();
  onTestFinished(() => void running.close());
  return running;
}

export const aud = 'http://localhost:8000/_svc/mcp';
export const headersOf = (token: string) => ({ authorization: `Bearer ${token}` });
