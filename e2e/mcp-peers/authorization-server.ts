import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { load } from './load.ts';

// oidc-provider is not there when the types are checked: these are the few members that are used.
interface Grant {
  addOIDCScope(scope: string): void;
  addResourceScope(resource: string, scope: string): void;
  save(): Promise<string>;
}
interface Context {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly params: { readonly scope?: string; readonly resource?: string | readonly string[] };
  };
}
interface Provider {
  readonly Grant: new (of: { readonly clientId: string; readonly accountId: string }) => Grant;
  callback(): RequestListener;
  interactionFinished(req: IncomingMessage, res: ServerResponse, result: object): Promise<void>;
  on(event: string, heard: (...what: never[]) => void): void;
}

/**
 * An authorization server as strict as they come, as a program: clients register themselves and must use PKCE, and a
 * token has the scopes that were asked for, nothing else, for the resource that was asked for. Whoever comes is `ann`,
 * who agrees to everything.
 *
 * It says `issuer <url>`, then `asked for <scopes>` each time somebody is sent to it.
 *
 * @param argv the scopes there are
 */
const scopes = process.argv.slice(2);
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { Provider: ProviderClass } = await load<{
  readonly Provider: new (issuer: string, configuration: object) => Provider;
}>('oidc-provider');

let answer: RequestListener = (_req, res) => res.destroy();
const server = createServer((req, res) => answer(req, res)).listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  answer = serve(issuer);
  console.log(`issuer ${issuer}`);
});
process.once('SIGTERM', () => process.exit(0));

function serve(issuer: string): RequestListener {
  const provider = new ProviderClass(issuer, {
    scopes: ['openid', 'offline_access', ...scopes],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig', kid: 'one' }] },
    cookies: { keys: ['signs the cookies of nobody'] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context: unknown, resource: string) => ({
          scope: scopes.join(' '),
          audience: resource,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
        // Clients that name no resource when they fetch the token get it for the one that was agreed to.
        useGrantedResource: () => true,
      },
    },
    interactions: { url: () => '/sign-in' },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId }),
    }),
    loadExistingGrant: ({ oidc }: Context) => agree(new provider.Grant(partiesOf(oidc)), oidc.params),
  });
  provider.on('authorization.error', (_context: never, error: Error) => console.error(error));
  provider.on('grant.error', (_context: never, error: Error) => console.error(error));
  const callback = provider.callback();
  return (req, res) => {
    if (req.url === '/sign-in')
      void provider.interactionFinished(req, res, { login: { accountId: 'ann' }, consent: {} });
    else callback(req, res);
  };
}

function partiesOf({ client, session }: Context['oidc']): { clientId: string; accountId: string } {
  return { clientId: client.clientId, accountId: session.accountId };
}

async function agree(grant: Grant, { scope = '', resource }: Context['oidc']['params']): Promise<Grant> {
  console.log(`asked for ${scope}`);
  grant.addOIDCScope(scope);
  for (const one of [resource ?? []].flat()) grant.addResourceScope(one, scope);
  await grant.save();
  return grant;
}
