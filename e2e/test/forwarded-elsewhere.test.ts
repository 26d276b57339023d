import { verifies } from '@waymark/contract/testing';
import type { Application, ApplicationOptions } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { application, secrets, serve } from './served.ts';
import { ask, type Header, handshake, type WireAnswer } from './wire/connection.ts';

const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const looks: readonly ((port: number, header: Header) => Promise<WireAnswer>)[] = [
  ...['runs', 'audit', 'health', 'docs', 'nothing'].map(
    (name) => (port: number, header: Header) => ask(port, { target: `/_svc/${name}`, headers: [header] }),
  ),
  (port, header) =>
    ask(port, {
      target: '/_svc/mcp',
      headers: [header, ['content-type', 'application/json']],
      body: JSON.stringify(call),
    }),
  (port, header) => ask(port, { target: '/_svc/runs', headers: [header, ...handshake] }),
];

async function statuses(port: number, header: Header): Promise<readonly number[]> {
  return Promise.all(looks.map(async (look) => (await look(port, header)).status));
}

const elsewhere: readonly Header[] = [
  ['X-Forwarded-For', '203.0.113.7'],
  ['X-Forwarded-For', 'garbage'],
  ['Forwarded', 'for=203.0.113.7'],
  ['X-Real-IP', '203.0.113.7'],
  ['CF-Connecting-IP', '203.0.113.7'],
  ['Via', '1.1 proxy'],
];

function shop(options: ApplicationOptions = {}): Application {
  return application(options).get('/page', () => 'page');
}

describe('a server without authentication, behind a proxy of its own machine', () => {
  it.each([{}, { trustProxy: 1 }])(
    'keeps its control plane from whom it is forwarded for: %o',
    async (options) => {
      verifies('authority.control.forwarded', 'authority.control.loopback-says');
      const { port } = await serve(shop(options));
      for (const header of elsewhere) {
        expect([header, await statuses(port, header)]).toEqual([header, looks.map(() => 403)]);
        expect((await ask(port, { target: '/page', headers: [header] })).status).toBe(200);
      }
      const { body } = await ask(port, { target: '/_svc/runs', headers: [['Via', '1.1 proxy']] });
      expect(body).toContain('by its header via a proxy forwarded this request');
      expect(body).toContain('declare an API key');
    },
  );

  it.each([{}, { trustProxy: 1 }])('answers a server for development in front of it: %o', async (options) => {
    verifies('authority.control.forwarded-here');
    const { port } = await serve(shop(options));
    const plain = await statuses(port, ['accept', '*/*']);
    for (const header of [
      ['X-Forwarded-For', '127.0.0.1'],
      ['X-Forwarded-For', '::1'],
      ['Forwarded', 'for=localhost'],
    ] as const)
      expect([header, await statuses(port, header)]).toEqual([header, plain]);
    expect(plain).not.toContain(403);
  });

  it('links nothing on its first page that is refused then', async () => {
    verifies('authority.control.forwarded');
    const { port } = await serve(shop());
    const page = async (...headers: readonly Header[]): Promise<string> =>
      (await ask(port, { target: '/', headers: [['accept', 'text/html'], ...headers] })).body;
    expect(await page()).toContain('/_svc/docs');
    expect(await page(['X-Forwarded-For', '203.0.113.7'])).not.toContain('/_svc/docs');
  });
});

describe('a code to sign in with', () => {
  const key: Header = ['x-api-key', secrets.SHOP_KEY];
  const guarded = (): Application => shop().apiKey('SHOP_KEY', 'admin', { scopes: ['svc:admin'] });

  it('is given to nobody, and taken from nobody, for whom a proxy of this machine asks', async () => {
    verifies('authority.control.forwarded-code');
    const { port } = await serve(guarded());
    const code = async (...headers: readonly Header[]): Promise<WireAnswer> =>
      ask(port, { method: 'POST', target: '/_svc/session/code', headers: [key, ...headers] });
    for (const header of elsewhere) expect([header, (await code(header)).status]).toEqual([header, 403]);

    const { code: given } = JSON.parse((await code(['X-Forwarded-For', '::1'])).body) as { code: string };
    const redeem = async (...headers: readonly Header[]): Promise<number> =>
      (
        await ask(port, {
          method: 'POST',
          target: '/_svc/session',
          headers: [['content-type', 'application/json'], ...headers],
          body: JSON.stringify({ credential: given }),
        })
      ).status;
    for (const header of elsewhere) expect([header, await redeem(header)]).toEqual([header, 401]);
    // A code that was refused is not used up.
    expect(await redeem()).toBe(200);
  });
});
