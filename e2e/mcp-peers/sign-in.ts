import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OAuthClientProvider } from '@modelcontextprotocol/client';

/**
 * Lets a person sign in: `show` leads their browser to the authorization server, `callback` is what it came back with.
 * Tokens are kept in memory, as long as the program runs.
 */
export async function createSignIn(show: (url: URL) => void | Promise<void>) {
  const server = createServer((_req, res) => void res.end('You are signed in, and may close this page.'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;

  let client: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>;
  let tokens: Awaited<ReturnType<OAuthClientProvider['tokens']>>;
  let issuer: Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>;
  let verifier = '';
  let back: Promise<unknown[]> | undefined;
  const provider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'my program',
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => client,
    saveClientInformation(registered) {
      client = registered;
    },
    tokens: () => tokens,
    saveTokens(granted) {
      tokens = granted;
    },
    discoveryState: () => issuer,
    saveDiscoveryState(found) {
      issuer = found;
    },
    codeVerifier: () => verifier,
    saveCodeVerifier(made) {
      verifier = made;
    },
    redirectToAuthorization(url) {
      back = once(server, 'request');
      return show(url);
    },
  } satisfies OAuthClientProvider;
  const callback = async () => {
    const [request] = (await back) as [IncomingMessage];
    return new URL(request.url ?? '/', redirectUrl).searchParams;
  };
  return { provider, callback, close: () => void server.close() };
}
