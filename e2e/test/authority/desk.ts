import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Type } from '@waymark/server';
import { createExample } from '../../../apps/server/example/application.ts';
import { startBilling } from '../../../apps/server/example/billing.ts';
import { startDockCamera } from '../../../apps/server/example/dock-camera.ts';
import { es256, goodClaims, hs256, jwtSecret } from '../corpora/sign.ts';
import { socketRoute } from '../programs/socket-route.ts';
import { ask, signIn } from '../session-client.ts';

/** The secrets of the keys. */
export const keys = {
  OPERATOR_KEY: 'operator-secret-of-the-matrix',
  DEVICE_KEY: 'device-secret-of-the-matrix',
  READER_KEY: 'reader-secret-of-the-matrix',
  BOT_KEY: 'bot-secret-of-the-matrix',
} as const;

/** What the tokens of either kind are for. */
export const audience = 'desk';

/** A started application whose every door is to be tried. */
export interface MatrixDesk {
  readonly port: number;
  /** Of the tokens that are verified with published keys. */
  readonly issuer: string;
  /** Sessions by who has opened them. */
  readonly cookies: { readonly operator: string; readonly token: string; readonly ended: string };
  readonly close: () => Promise<void>;
}

const unlimited = { perSecond: 1_000_000, burst: 1_000_000 };

/**
 * The reference application, with what it lacks: tokens of both kinds, a key that may be a bearer, a wildcard before another
 * service, a route that throws, one that needs two scopes, public ones, and sockets.
 *
 * @param mcpScopes as the option of that name; its default where it is undefined
 */
export async function startMatrixDesk(mcpScopes?: readonly string[]): Promise<MatrixDesk> {
  const issuer = await startIssuer();
  const billing = await startBilling();
  const dock = await startDockCamera();
  const app = createExample(
    {
      port: 0,
      // The matrix is nothing but failures.
      failureLimit: unlimited,
      env: { LOG_LEVEL: 'silent', JWT_SECRET: jwtSecret, ...keys },
      ...(mcpScopes && { mcpScopes }),
    },
    { billingUrl: billing.url, dockUrl: dock.url },
  );
  app.rateLimit(unlimited.perSecond, { burst: unlimited.burst });
  app.apiKey('BOT_KEY', 'bot', { scopes: ['tickets:read'], bearer: true });
  app.jwt('JWT_SECRET', { audience, subjectPrefix: '' });
  app.jwt({ issuer: issuer.url, audience, subjectPrefix: '' });
  app.proxy('GET', '/billing/{rest*}', 'billing', { rewrite: '/{rest*}', scopes: ['tickets:read'] });
  app.get('/boom', { tool: true, toolName: 'boom', scopes: ['tickets:write'] }, () => {
    throw new Error('the cause of the boom');
  });
  const both = { tool: true, toolName: 'both', scopes: ['tickets:read', 'devices:read'] };
  app.put('/both', { ...both, input: { text: Type.String() } }, ({ text }) => text);
  app.post('/anybody', { tool: true, toolName: 'anybody', input: { n: Type.Integer() } }, ({ n }) => n);
  app.post('/vault', { tool: true, toolName: 'open_vault', approval: 'required' }, () => undefined);
  app.add(
    socketRoute('/feed', { scopes: ['tickets:read', 'devices:read'] }, (peer) => peer.close()),
    socketRoute('/open-feed', {}, (peer) => peer.close()),
  );
  const running = await app.listen();
  const close = async (): Promise<void> => {
    await running.close();
    issuer.close();
    billing.close();
    dock.close();
  };
  const token = hs256({ ...goodClaims, sub: 'ada', aud: audience, scope: 'tickets:read' });
  const cookies = {
    operator: await signIn(running, keys.OPERATOR_KEY),
    token: await signIn(running, token),
    ended: await signIn(running, keys.OPERATOR_KEY),
  };
  await ask(running, 'DELETE /_svc/session', { headers: { cookie: cookies.ended } });
  return { port: running.port, issuer: issuer.url, cookies, close };
}

/** Somebody who publishes the key of `es256`. */
async function startIssuer(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((req, res) => {
    if (req.url === '/keys') res.end(JSON.stringify({ keys: [es256.jwk] }));
    else if (req.url === '/.well-known/openid-configuration')
      res.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }));
    else res.writeHead(404).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url, close };
}
