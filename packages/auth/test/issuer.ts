import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Outbound } from '@waymark/contract/http';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { onTestFinished } from 'vitest';
import { nowSecs } from './tokens.ts';

/** A key pair of an issuer, and its public half as it is published. */
export interface IssuerKey {
  readonly alg: string;
  readonly jwk: JWK;
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
}

export async function issuerKey(kid: string | undefined, alg = 'ES256'): Promise<IssuerKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return { alg, privateKey, jwk: { ...jwk, use: 'sig', ...(kid !== undefined && { kid }) } };
}

/** Something that publishes what the test says, under the paths that the test says. */
export interface Issuer {
  url: string;
  /** Documents by path; a text is sent as it is, a number is a status. */
  readonly documents: Map<string, unknown>;
  /** The paths that were asked for. */
  readonly asked: string[];
  /** Publishes keys, and the metadata that lead to them. */
  publish(...keys: readonly (IssuerKey | JWK)[]): void;
}

/** @param path what the issuer has after its host @param metadataPath where its metadata are */
export async function startIssuer(
  path = '',
  metadataPath = `/.well-known/oauth-authorization-server${path}`,
): Promise<Issuer> {
  const documents = new Map<string, unknown>();
  const asked: string[] = [];
  const server = createServer((req, res) => {
    const found = documents.get(req.url ?? '');
    asked.push(req.url ?? '');
    const status = found === undefined ? 404 : typeof found === 'number' ? found : 200;
    res.writeHead(status).end(typeof found === 'string' ? found : JSON.stringify(found ?? null));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = origin + path;
  return {
    ...{ url, documents, asked },
    publish(...keys) {
      documents.set(metadataPath, { issuer: url, jwks_uri: `${origin}/keys` });
      documents.set('/keys', { keys: keys.map((key) => Object(key).jwk ?? key) });
    },
  };
}

/** How often the keys were read. */
export const readings = ({ asked }: Issuer): number => asked.filter((path) => path === '/keys').length;

/** A token of the issuer for `desk` that is in order but for these claims and header. */
export function issued(
  { url }: Issuer,
  { alg, jwk, privateKey }: IssuerKey,
  claims: object = {},
  header: object = {},
): Promise<string> {
  const { kid } = jwk;
  const good = { iss: url, aud: 'desk', sub: 'ada', exp: nowSecs + 3600 };
  return new SignJWT({ ...good, ...claims })
    .setProtectedHeader({ alg, ...(kid !== undefined && { kid }), ...header })
    .sign(privateKey);
}

/** A client that keeps to the caps, and to nothing else that one of a service has to. */
export const plainOutbound: Outbound = {
  async request({ method, url, headers, signal, maxBytes }) {
    const response = await fetch(url, { method, headers: { ...headers }, signal, redirect: 'manual' });
    const bytes = await response.bytes();
    if (bytes.length > maxBytes) throw new Error('too large');
    return { status: response.status, headers: {}, body: new Response(bytes).body ?? new ReadableStream() };
  },
};
