import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { es256, goodClaims } from './corpora/sign.ts';
import { aud, headersOf, key, startDesk, startIssuer } from './issuer-desk.ts';

describe('an application that takes the tokens of an issuer', () => {
  it('asks a slow issuer once for everybody, gives it ten seconds, and lets nobody else wait', async () => {
    verifies('authority.jwt.issuer.bounded', 'authority.jwt.issuer.cached');
    const issuer = await startIssuer((_req, res) => void setInterval(() => res.write(' '), 500).unref());
    const { url } = await startDesk(issuer.url);
    const beganMs = performance.now();
    const waiting = Array.from({ length: 100 }, (_, i) =>
      fetch(`${url}/who`, {
        headers: headersOf(es256.token({ ...goodClaims, sub: `u${i}`, iss: issuer.url, aud })),
      }),
    );
    const others = await Promise.all([
      fetch(`${url}/who`, { headers: { 'x-api-key': key } }),
      fetch(`${url}/_svc/health`),
      fetch(`${url}/who`, { headers: headersOf(es256.token({ ...goodClaims, iss: 'https://x', aud })) }),
    ]);
    expect(others.map(({ status }) => status)).toEqual([200, 200, 401]);
    expect(performance.now() - beganMs).toBeLessThan(9_000);
    const answers = await Promise.all(waiting);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    expect(performance.now() - beganMs).toBeLessThan(30_000);
    expect(issuer.asked.filter((path) => path === '/keys')).toHaveLength(1);
  });
});
