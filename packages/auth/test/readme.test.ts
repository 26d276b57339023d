import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { operatorSecret, readerSecret } from './declare.ts';
import { hs256, jwtSecret } from './tokens.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

describe('the README', () => {
  it('shows the program of example.ts', () => {
    const [, program] = /```ts\n([\s\S]*?)```/.exec(read('../README.md')) ?? [];
    expect(program).toBe(read('example.ts'));
  });
});

describe('the program of the README', () => {
  let url: string;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    vi.stubEnv('OPERATOR_KEY', operatorSecret);
    vi.stubEnv('READER_KEY', readerSecret);
    vi.stubEnv('JWT_SECRET', jwtSecret);
    vi.stubEnv('PORT', '0');
    const { server } = await import('./example.ts');
    if (!server.listening) await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    stop = () => server[Symbol.asyncDispose]();
  });
  afterAll(async () => {
    await stop();
    vi.unstubAllEnvs();
  });

  const ask = async (...headers: [string, string][]): Promise<unknown> => {
    const response = await fetch(url, { headers });
    return [response.status, (await response.text()).trim(), response.headers.get('www-authenticate')];
  };

  it('tells over a socket who asks', async () => {
    verifies('auth.api-key.header', 'authority.anonymous');
    expect(await ask()).toEqual([200, 'anonymous may pages:read', null]);
    expect(await ask(['X-API-Key', readerSecret])).toEqual([200, 'reader may tickets:read', null]);
    expect(await ask(['x-api-key', operatorSecret])).toEqual([
      200,
      'operator may svc:admin, tickets:read',
      null,
    ]);
  });

  it('takes a token, and says when it has ended', async () => {
    verifies('auth.jwt', 'auth.jwt.audience', 'authority.jwt.bearer');
    const exp = Math.floor(Date.now() / 1000) + 60;
    const token = (claims: object): string =>
      `Bearer ${hs256({ exp, aud: 'tickets', scope: 'tickets:read', ...claims })}`;
    const challenge = 'Bearer realm="waymark"';
    expect(await ask(['Authorization', token({})])).toEqual([200, 'ada may tickets:read', null]);
    expect(await ask(['Authorization', token({ exp: 1 })])).toEqual([
      401,
      'the token has expired',
      challenge,
    ]);
    expect(await ask(['Authorization', token({ aud: 'x' })])).toEqual([
      401,
      'the credential is not valid',
      challenge,
    ]);
  });

  it('refuses two keys in two headers, and a key as bearer token', async () => {
    verifies('http.header.two-keys', 'authority.key.not-bearer', 'http.status.401');
    const refused = [401, 'the credential is not valid', 'Bearer realm="waymark"'];
    expect(await ask(['x-api-key', readerSecret], ['x-api-key', readerSecret])).toEqual(refused);
    expect(await ask(['authorization', `Bearer ${readerSecret}`])).toEqual(refused);
  });
});
