import { verifies } from '@waymark/contract/testing';
import { createApplication } from '@waymark/server';
import { expect, it, onTestFinished } from 'vitest';
import { hmacToken, nowSecs } from './corpora/sign.ts';

const env = {
  HOUSE_SECRET: 'house-secret-of-forty-characters-0123456',
  PARTNER_SECRET: 'partner-secret-of-forty-characters-01234',
  LOG_LEVEL: 'silent',
} as const;

/** A token of one of the two issuers. */
function tokenOf(issuer: 'house' | 'partner', subject: string): string {
  const secret = issuer === 'house' ? env.HOUSE_SECRET : env.PARTNER_SECRET;
  const claims = { iss: issuer, sub: subject, aud: 'shop', exp: nowSecs + 3600 };
  return hmacToken({ alg: 'HS256' }, claims, secret);
}

it('the same subject of two issuers reads its own runs and not the other’s', async () => {
  verifies('authority.jwt.prefix');
  const app = createApplication('shop', { port: 0, env })
    .jwt('HOUSE_SECRET', { issuer: 'house', audience: 'shop' })
    .jwt('PARTNER_SECRET', { issuer: 'partner', audience: 'shop', subjectPrefix: 'partner:' })
    .behaviour('note', { scopes: [] }, (_, { text }) => ({ text }));
  const { url, close } = await app.listen();
  onTestFinished(() => close());
  const ask = async (token: string, path: string, init: RequestInit = {}) => {
    const headers = {
      ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      accept: init.method ? 'text/event-stream' : 'application/json',
    };
    const response = await fetch(url + path, { ...init, headers });
    return { status: response.status, text: await response.text() };
  };
  const write = (token: string) =>
    ask(token, '/behaviours/note', { method: 'POST', body: '{"text":"a secret"}' });
  const tokens = [tokenOf('house', 'ada'), tokenOf('partner', 'ada')];
  for (const token of tokens) {
    const [, location = ''] = /"location":"([^"]+)"/.exec((await write(token)).text) ?? [];
    for (const reader of tokens) {
      const { status, text } = await ask(reader, location);
      expect(status).toBe(reader === token ? 200 : 404);
      expect(text.includes('a secret')).toBe(reader === token);
    }
  }
  // Whoever chooses names at the house cannot be one of the partner's.
  expect((await write(tokenOf('house', 'partner:ada'))).status).toBe(401);
});
