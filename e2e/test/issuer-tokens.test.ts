import type { RequestListener } from 'node:http';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { ecPair, es256, goodClaims } from './corpora/sign.ts';
import { aud, headersOf, key, startDesk, startIssuer } from './issuer-desk.ts';

const publishing =
  (...keys: readonly object[]): RequestListener =>
  (_req, res) =>
    res.end(JSON.stringify({ keys }));

describe('an application that takes the tokens of an issuer', () => {
  it('reads its keys where it is declared, on this machine too, and tells clients of it', async () => {
    verifies('authority.jwt.issuer', 'authority.jwt.issuer.audience', 'authority.jwt.issuer.discovery');
    verifies('mcp.auth.metadata');
    const issuer = await startIssuer(publishing(ecPair('old').jwk, es256.jwk));
    const { url } = await startDesk(issuer.url);
    expect(issuer.asked).toEqual([]);
    const token = es256.token({ ...goodClaims, iss: issuer.url, aud });
    const answer = await fetch(`${url}/who`, { headers: headersOf(token) });
    expect([answer.status, await answer.json()]).toEqual([200, 'ada']);
    const metadata = await fetch(`${url}/.well-known/oauth-protected-resource/_svc/mcp`);
    expect(await metadata.json()).toMatchObject({ resource: aud, authorization_servers: [issuer.url] });
    const refused = await fetch(`${url}/_svc/mcp`, { method: 'POST' });
    expect(refused.headers.get('www-authenticate')).toContain('resource_metadata=');
    const foreign = es256.token({ ...goodClaims, iss: issuer.url, aud: 'http://localhost:9000/_svc/mcp' });
    expect((await fetch(`${url}/who`, { headers: headersOf(foreign) })).status).toBe(401);
  });

  it.each([
    [
      'sends more than 256 KB',
      (_req, res) => res.end(JSON.stringify({ keys: [es256.jwk], filler: 'x'.repeat(256 * 1024) })),
    ],
    ['never stops sending', (_req, res) => void setInterval(() => res.write('x'.repeat(100_000)), 1).unref()],
    [
      'breaks off',
      (_req, res) => void res.writeHead(200, { 'content-length': 100 }).write('{', () => res.destroy()),
    ],
    ['redirects', (_req, res) => void res.writeHead(302, { location: '/other' }).end()],
  ] satisfies readonly [string, RequestListener][])(
    'answers 503 while the issuer %s, and everybody else as ever',
    async (_, keys) => {
      verifies('authority.jwt.issuer.bounded', 'authority.jwt.issuer.unreadable');
      const issuer = await startIssuer(keys);
      const { url } = await startDesk(issuer.url);
      const headers = headersOf(es256.token({ ...goodClaims, iss: issuer.url, aud }));
      const answer = await fetch(`${url}/who`, { headers });
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
      expect(answer.headers.get('www-authenticate')).toBeNull();
      expect(await answer.text()).not.toContain(issuer.url);
      expect((await fetch(`${url}/who`, { headers: { 'x-api-key': key } })).status).toBe(200);
      expect(issuer.asked).not.toContain('/other');
    },
  );

  it('goes nowhere private for keys because an issuer says so', async () => {
    verifies('authority.jwt.issuer.bounded', 'outbound.address-guard');
    const inside = await startIssuer(publishing(es256.jwk));
    // On the same machine, and not beside it: another origin.
    for (const keysUri of [`${inside.url}/keys`, `${inside.url.replace('http:', 'https:')}/keys`]) {
      const issuer = await startIssuer(publishing(), () => keysUri);
      const { url } = await startDesk(issuer.url);
      const headers = headersOf(es256.token({ ...goodClaims, iss: issuer.url, aud }));
      expect((await fetch(`${url}/who`, { headers })).status).toBe(503);
    }
    expect(inside.asked).toEqual([]);
  });
});
