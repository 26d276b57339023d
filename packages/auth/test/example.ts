import { createServer, type ServerResponse } from 'node:http';
import { anonymousScopes, apiKey, createAuthenticate, jwt } from '@waymark/auth';

const credentials = [
  apiKey('OPERATOR_KEY', 'operator', { scopes: ['svc:admin', 'tickets:read'] }),
  apiKey('READER_KEY', 'reader', { scopes: ['tickets:read'] }),
  jwt('JWT_SECRET', { audience: 'tickets' }),
  anonymousScopes('pages:read'),
];
// Throws when a variable is unset or its secret is short: the server then does not start.
const authenticate = createAuthenticate(credentials, (name) => process.env[name]);

/** Says who asks: `curl -H "x-api-key: $READER_KEY" localhost:8000`, or with `Authorization: Bearer <token>`. */
export const server = createServer((request, response) => {
  void answer(request.headers as Record<string, string>, response);
});
server.listen(Number(process.env['PORT'] ?? 8000), '127.0.0.1');

async function answer(headers: Readonly<Record<string, string>>, response: ServerResponse): Promise<void> {
  const who = await authenticate({ headers });
  if (who.ok) response.end(`${who.principal.id} may ${who.principal.scopes.join(', ') || 'nothing'}\n`);
  else response.writeHead(who.error.status, who.error.headers).end(`${who.error.message}\n`);
}
