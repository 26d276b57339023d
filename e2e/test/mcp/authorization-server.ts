import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** What it was asked for, in order. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** The `scope` of each authorization request. */
  readonly asked: readonly string[];
  /** The `resource` of each token request. */
  readonly resources: readonly string[];
}

/** What a token is made of. */
export interface Grant {
  readonly issuer: string;
  readonly scope: string;
  readonly resource: string;
}

/**
 * An authorization server of a test: registers anybody, asks nobody, and grants exactly what was asked.
 *
 * @param toToken signs a token
 * @param documents what it serves besides, by path
 */
export async function authorizationServer(
  toToken: (grant: Grant) => string,
  documents: Readonly<Record<string, unknown>> = {},
): Promise<AuthorizationServer> {
  const asked: string[] = [];
  const resources: string[] = [];
  const granted = new Map<string, string>();
  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', issuer);
    // Clients in pages register and fetch their tokens, too.
    for (const name of ['origin', 'headers', 'methods']) res.setHeader(`access-control-allow-${name}`, '*');
    if (req.method === 'OPTIONS') {
      res.writeHead(204).end();
      return;
    }
    void text(req).then((body) => {
      const answer = routes[url.pathname];
      if (answer) answer(res, url.searchParams, body);
      else if (url.pathname in documents) json(res, documents[url.pathname]);
      else res.writeHead(404).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const routes: Readonly<
    Record<string, (res: ServerResponse, query: URLSearchParams, body: string) => void>
  > = {
    '/.well-known/oauth-authorization-server': (res) =>
      json(res, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        registration_endpoint: `${issuer}/register`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      }),
    '/register': (res, _, body) => json(res, { ...JSON.parse(body), client_id: 'client' }, 201),
    '/authorize': (res, query) => {
      const scope = query.get('scope') ?? '';
      asked.push(scope);
      const code = `code-${asked.length}`;
      granted.set(code, scope);
      const back = new URL(query.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      res.writeHead(302, { location: back.href }).end();
    },
    '/token': (res, _, body) => {
      const form = new URLSearchParams(body);
      const scope = granted.get(form.get('code') ?? '') ?? '';
      const resource = form.get('resource') ?? '';
      resources.push(resource);
      const token = toToken({ issuer, scope, resource });
      json(res, { access_token: token, token_type: 'Bearer', expires_in: 600, scope });
    },
  };
  return { issuer, asked, resources };
}

function json(res: ServerResponse, value: unknown, status = 200): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
