import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { verifies } from '@waymark/contract/testing';
import type { Application, ApplicationOptions, RunningApplication } from '@waymark/server';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { application, secrets, serve } from './served.ts';
import { ask, postForm, signIn, upgrade } from './session-client.ts';

const listed = 'https://friend.example';

/** An application with an operator and a reader, and routes that say who asks. */
function shop(options: ApplicationOptions = {}): Application {
  const app = application(options);
  app.apiKey('SHOP_KEY', 'operator', { scopes: ['svc:admin', 'shop:read', 'devices:read'] });
  app.apiKey('OTHER_KEY', 'reader', { scopes: ['shop:read'] });
  app.cors([listed], { credentials: true });
  app.get('/who', {}, (_, { user, headers }) => ({ id: user.id, cookie: headers['cookie'] ?? null }));
  app.post('/who', {}, (_, { user }) => ({ id: user.id, cookie: null }));
  app.get('/inside', { scopes: ['shop:read'] }, (_, { user }) => user.id);
  app.camera('door');
  return app;
}

const started = (options: ApplicationOptions): Promise<RunningApplication> => serve(shop(options));

let at: RunningApplication;
beforeAll(async () => {
  at = await shop({ failureLimit: { perSecond: 1e6, burst: 1e6 } }).listen();
});
afterAll(() => at.close());

/** A database in a folder that is there for a test. */
function inFolder(): { readonly database: `sqlite://${string}`; readonly file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'sessions-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'shop.db');
  return { database: `sqlite://${file}`, file };
}

/** Who the application takes somebody for. */
async function who(
  at: RunningApplication,
  headers: Readonly<Record<string, string>>,
  target = '/who',
): Promise<string | number> {
  const { status, text } = await ask(at, target, { headers });
  return status === 200 ? (JSON.parse(text) as { id: string }).id : status;
}

describe('signing in', () => {
  it('takes a credential in a header, in JSON, or in a form, and hands out a cookie', async () => {
    verifies('session.open.forms', 'session.tell');
    const key = secrets.OTHER_KEY;
    const json = { 'content-type': 'application/json' };
    for (const sent of [
      { headers: { 'x-api-key': key } },
      { headers: json, body: JSON.stringify({ credential: key }) },
    ]) {
      const { status, text, cookies, headers } = await ask(at, 'POST /_svc/session', sent);
      const told = {
        id: 'reader',
        authenticated: true,
        scopes: ['shop:read'],
        expires_at_ms: expect.any(Number),
      };
      expect([status, JSON.parse(text), headers['cache-control']]).toEqual([200, told, 'no-store']);
      const said = await ask(at, '/_svc/session', { headers: { cookie: cookies.join() } });
      expect(JSON.parse(said.text)).toEqual(JSON.parse(text));
    }
    const form = await postForm(at, '/_svc/session', { credential: ` ${key}\n`, to: '/who?a=b' });
    expect([form.status, form.headers['location'], form.text]).toEqual([303, '/who?a=b', '']);
    expect(await who(at, { cookie: form.cookies.join() })).toBe('reader');
    const nobody = { id: 'anonymous', authenticated: false, scopes: [], expires_at_ms: null };
    expect(JSON.parse((await ask(at, '/_svc/session')).text)).toEqual(nobody);
  });

  it('is not open without authentication, and says why', async () => {
    verifies('session.without-authentication');
    const at = await serve(application());
    for (const target of ['/_svc/session', 'POST /_svc/session', 'DELETE /_svc/session', '/_svc/sign-in']) {
      const { status, text } = await ask(at, target);
      expect([status, text]).toEqual([404, expect.stringContaining('no authentication is configured')]);
    }
  });

  it('is open to every credential, while the rest of the control plane is not', async () => {
    verifies('session.open.any-scope');
    const reader = { cookie: await signIn(at, secrets.OTHER_KEY) };
    const operator = { cookie: await signIn(at, secrets.SHOP_KEY) };
    for (const path of ['/_svc/routes', '/_svc/nothing-here', '/_svc/session/other'])
      expect((await ask(at, path, { headers: reader })).status).toBe(403);
    expect((await ask(at, '/_svc/routes', { headers: operator })).status).toBe(200);
    const approve = (headers: object): Promise<number> =>
      ask(at, 'POST /_svc/approvals/01JZZZZZZZZZZZZZZZZZZZZZZZ', {
        headers: { ...operator, ...headers, 'content-type': 'application/json' },
        body: '{"approve":true}',
      }).then(({ status }) => status);
    expect(await approve({})).toBe(401);
    expect(await approve({ origin: listed })).toBe(401);
    expect(await approve({ origin: at.url })).toBe(404);
  });

  it('charges a wrong credential to its address, whatever form it comes in', async () => {
    verifies('session.open.charged');
    const at = await started({ failureLimit: { perSecond: 0.001, burst: 2 } });
    const wrong = (): Promise<{ readonly status: number }> =>
      postForm(at, '/_svc/session', { credential: 'not-a-key-of-anybody' });
    expect([(await wrong()).status, (await wrong()).status, (await wrong()).status]).toEqual([401, 401, 429]);
    // A right one is let in all the same.
    const cookie = await signIn(at, secrets.SHOP_KEY);
    const listing = async (): Promise<string> => (await ask(at, '/_svc/audit', { headers: { cookie } })).text;
    await expect.poll(listing).toContain('session_opened');
    expect(await listing()).toContain('auth_refused');
    expect(await listing()).not.toContain(cookie.split('=')[1]);
  });

  it.each([
    ['nothing', {}, undefined, 401],
    ['an empty form', { 'content-type': 'application/x-www-form-urlencoded' }, 'credential=', 401],
    ['JSON that is none', { 'content-type': 'application/json' }, '{', 400],
    ['JSON without a credential', { 'content-type': 'application/json' }, '{"credential":7}', 400],
    ['no object', { 'content-type': 'application/json' }, 'null', 400],
    ['a file', { 'content-type': 'text/plain' }, secrets.SHOP_KEY, 415],
    [
      'two credentials',
      { 'x-api-key': secrets.SHOP_KEY, 'content-type': 'application/json' },
      '{"credential":"x"}',
      400,
    ],
    ['far too much', { 'content-type': 'application/json' }, `"${'x'.repeat(32_768)}"`, 413],
  ])('refuses %s', async (_, headers, body, status) => {
    const told = await ask(at, 'POST /_svc/session', { headers, ...(body !== undefined && { body }) });
    expect([told.status, told.cookies]).toEqual([status, []]);
  });

  it('begins another session each time, and ends the one before', async () => {
    verifies('session.fixation');
    const [name = ''] = (await signIn(at, secrets.OTHER_KEY)).split('=');
    const planted = `${name}=v1.planted.by.somebody`;
    const own = await signIn(at, secrets.OTHER_KEY, { cookie: planted });
    expect(own).not.toBe(planted);
    expect(await who(at, { cookie: planted })).toBe('anonymous');
    const attackers = await signIn(at, secrets.OTHER_KEY);
    const operator = await signIn(at, secrets.SHOP_KEY, { cookie: attackers });
    expect([await who(at, { cookie: attackers }), await who(at, { cookie: operator })]).toEqual([
      'anonymous',
      'operator',
    ]);
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/\n/evil.example',
    '/.//evil.example',
    '/x/..//evil.example',
    '/%2e//evil.example',
    'evil.example',
    '',
    `/${'x'.repeat(2_000)}`,
  ])('leads nobody away from here: %j', async (to) => {
    verifies('session.redirect.local');
    const { status, headers } = await postForm(at, '/_svc/session', { credential: secrets.OTHER_KEY, to });
    expect([status, headers['location']]).toEqual([303, '/']);
    const out = await postForm(at, '/_svc/session/end', { to });
    expect([out.status, out.headers['location']]).toEqual([303, '/']);
  });
});

describe('a session', () => {
  it('speaks only where no credential is shown', async () => {
    verifies('session.cookie.after-headers');
    const cookie = await signIn(at, secrets.SHOP_KEY);
    expect(await who(at, { cookie, 'x-api-key': secrets.OTHER_KEY })).toBe('reader');
    for (const wrong of [
      { 'x-api-key': 'wrong' },
      { 'x-api-key': '' },
      { authorization: 'Bearer x' },
      { authorization: '' },
    ])
      expect(await who(at, { cookie, ...wrong })).toBe(401);
  });

  const here = '{here}';
  it.each([
    ['GET', {}, 'operator'],
    ['GET', { 'sec-fetch-site': 'none' }, 'operator'],
    ['GET', { 'sec-fetch-site': 'same-origin' }, 'operator'],
    ['GET', { 'sec-fetch-site': 'same-site' }, 'anonymous'],
    ['GET', { 'sec-fetch-site': 'cross-site' }, 'anonymous'],
    ['GET', { origin: here }, 'operator'],
    ['GET', { origin: 'https://evil.example' }, 'anonymous'],
    ['GET', { origin: 'null' }, 'anonymous'],
    ['GET', { origin: listed }, 'anonymous'],
    ['GET', { origin: listed, 'sec-fetch-site': 'same-site' }, 'anonymous'],
    ['POST', {}, 'anonymous'],
    ['POST', { 'sec-fetch-site': 'none' }, 'anonymous'],
    ['POST', { 'sec-fetch-site': 'none', origin: here }, 'operator'],
    ['POST', { 'sec-fetch-site': 'same-origin' }, 'operator'],
    ['POST', { origin: here }, 'operator'],
    ['POST', { origin: listed }, 'anonymous'],
    ['POST', { origin: listed, 'sec-fetch-site': 'cross-site' }, 'anonymous'],
    ['POST', { origin: listed, 'sec-fetch-site': 'same-site' }, 'anonymous'],
    ['POST', { origin: 'https://evil.example' }, 403],
    ['POST', { origin: 'null' }, 403],
    ['POST', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }, 403],
    ['POST', { 'sec-fetch-site': 'cross-site' }, 403],
    ['POST', { origin: '{here}.evil.example' }, 403],
    ['POST', { origin: 'https{here}' }, 403],
  ])(
    'counts for pages of its own origin only: %s %j',
    async (method, marks: Readonly<Record<string, string>>, id) => {
      verifies('session.same-origin', 'session.cors-does-not-count');
      const cookie = await signIn(at, secrets.SHOP_KEY);
      const sent = Object.entries(marks).map(([name, value]) => [
        name,
        value.replace('https{here}', at.url.replace('http:', 'https:')).replace(here, at.url),
      ]);
      const told = await ask(at, `${method} /who`, { headers: { cookie, ...Object.fromEntries(sent) } });
      expect(told.status === 200 ? (JSON.parse(told.text) as { id: string }).id : told.status).toBe(id);
      // What is ignored is not taken back either.
      expect(told.cookies).toEqual([]);
      expect(await who(at, { cookie })).toBe('operator');
    },
  );

  it('opens sockets for pages of its own origin only, which close when it ends', async () => {
    verifies('session.sockets');
    const cookie = await signIn(at, secrets.SHOP_KEY);
    const knock = async (marks: object): Promise<number> =>
      (await ask(at, '/devices/door/stream', { headers: { ...upgrade, cookie, ...marks } })).status;
    expect(await knock({ origin: at.url })).toBe(101);
    expect(await knock({ 'sec-fetch-site': 'same-origin' })).toBe(101);
    expect(await knock({})).toBe(401);
    expect(await knock({ origin: listed })).toBe(401);
    expect(await knock({ origin: 'https://evil.example' })).toBe(403);
    expect(await knock({ origin: 'null' })).toBe(403);
    expect(await knock({ origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' })).toBe(403);
    const socket = new WebSocket(`${at.url.replace('http', 'ws')}/devices/door/stream`, {
      headers: { cookie, origin: at.url },
    });
    const closed = new Promise((resolve) => socket.on('close', resolve));
    await new Promise((resolve) => socket.once('message', resolve));
    await ask(at, 'DELETE /_svc/session', { headers: { cookie, origin: at.url } });
    expect(await closed).toBe(4401);
  });

  it('is opened and ended by pages of its own origin only', async () => {
    verifies('session.forgery');
    const cookie = await signIn(at, secrets.SHOP_KEY);
    const foreign = [
      { origin: listed },
      { origin: listed, 'sec-fetch-site': 'same-site' },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
    ] as const;
    for (const marks of foreign) {
      const opened = await postForm(
        at,
        '/_svc/session',
        { credential: secrets.OTHER_KEY },
        { cookie, ...marks },
      );
      expect([opened.status, opened.cookies]).toEqual([403, []]);
      for (const target of ['DELETE /_svc/session', 'POST /_svc/session/end'])
        expect((await ask(at, target, { headers: { cookie, ...marks } })).status).toBe(403);
    }
    expect(await who(at, { cookie })).toBe('operator');
  });

  it('is no way in over MCP, however that is written', async () => {
    verifies('session.not-mcp');
    const headers = {
      cookie: await signIn(at, secrets.SHOP_KEY),
      origin: at.url,
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    for (const path of ['/_svc/mcp', '/_svc/%6dcp', '/%5fsvc/mcp'])
      expect((await ask(at, `POST ${path}`, { headers, body })).status).toBe(401);
    // Other paths that have to be escaped are no way to MCP.
    expect((await ask(at, '/_svc/webhooks/watcher%3Ahall', { headers })).status).toBe(404);
    expect((await ask(at, '/_svc/webhooks/watcher%3Ahall')).status).toBe(401);
  });

  it('is kept from handlers, whose answers a script may read', async () => {
    verifies('session.cookie.hidden');
    const cookie = await signIn(at, secrets.SHOP_KEY);
    for (const [sent, seen] of [
      [cookie, null],
      [`theme=dark; ${cookie}; lang=en`, 'theme=dark; lang=en'],
      [`theme=dark; lang=en`, 'theme=dark; lang=en'],
    ])
      expect(JSON.parse((await ask(at, '/who', { headers: { cookie: sent ?? '' } })).text).cookie).toBe(seen);
    const foreign = await ask(at, '/who', { headers: { cookie, 'sec-fetch-site': 'cross-site' } });
    expect(JSON.parse(foreign.text)).toEqual({ id: 'anonymous', cookie: null });
  });

  it('that is worth nothing is nobody, and is taken back', async () => {
    verifies('session.worthless');
    const cookie = await signIn(at, secrets.OTHER_KEY);
    const [name = ''] = cookie.split('=');
    const ended = await ask(at, 'DELETE /_svc/session', { headers: { cookie, origin: at.url } });
    expect([ended.status, ended.cookies]).toEqual([204, [`${name}=`]]);
    for (const worthless of [
      cookie,
      `${name}=`,
      `${name}=x`,
      `${cookie}; ${cookie}`,
      `${name}=${'x'.repeat(8_000)}`,
    ]) {
      const open = await ask(at, '/who', { headers: { cookie: worthless } });
      expect([open.status, JSON.parse(open.text).id, open.cookies]).toEqual([200, 'anonymous', [`${name}=`]]);
      expect(open.headers['cache-control']).toBe('no-store');
      const inside = await ask(at, '/inside', { headers: { cookie: worthless } });
      expect([inside.status, inside.cookies]).toEqual([401, [`${name}=`]]);
    }
    expect(await who(at, { cookie: `other${cookie}` })).toBe('anonymous');
  });

  it('has a name of its own over https, where the other one is worth nothing', async () => {
    verifies('session.cookie.https');
    const at = await started({ trustProxy: 1, allowedHosts: ['shop.example'] });
    const https = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7', host: 'shop.example' };
    const { headers, cookies } = await postForm(
      at,
      '/_svc/session',
      { credential: secrets.OTHER_KEY },
      https,
    );
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Host-waymark-shop=\S+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
      ),
    ]);
    const cookie = cookies.join();
    const plain = cookie.replace('__Host-', '');
    expect(await who(at, { cookie, ...https, origin: 'https://shop.example' })).toBe('reader');
    expect([await who(at, { cookie: plain, ...https }), await who(at, { cookie })]).toEqual([
      'anonymous',
      'anonymous',
    ]);
    const untrusted = await started({ allowedHosts: ['shop.example'] });
    expect(await signIn(untrusted, secrets.OTHER_KEY, https)).toMatch(/^waymark-shop=/);
  });

  it('survives a restart, and once ended does not come back with one', async () => {
    verifies('session.ended.restart');
    const { database } = inFolder();
    const first = await shop({ database }).listen();
    const [kept, ended] = [await signIn(first, secrets.OTHER_KEY), await signIn(first, secrets.OTHER_KEY)];
    await ask(first, 'DELETE /_svc/session', { headers: { cookie: ended } });
    await first.close();
    const second = await started({ database });
    expect([await who(second, { cookie: kept }), await who(second, { cookie: ended })]).toEqual([
      'reader',
      'anonymous',
    ]);
  });

  it('does not come back with a restart because others have ended many, or much else has happened', async () => {
    verifies('session.ended.restart', 'session.ended.bounded');
    const { database, file } = inFolder();
    const first = await shop({ database, limits: { endedSignIns: 20 } }).listen();
    const ended = await signIn(first, secrets.SHOP_KEY);
    await ask(first, 'DELETE /_svc/session', { headers: { cookie: ended } });
    for (let i = 0; i < 30; i++) {
      const cookie = await signIn(first, secrets.OTHER_KEY);
      await ask(first, 'DELETE /_svc/session', { headers: { cookie } });
    }
    await first.close();
    // As 100,000 events later.
    const log = new DatabaseSync(file);
    log.exec('delete from svc__audit');
    const { count } = log.prepare('select count(*) as count from svc__ended_session').get() as {
      count: number;
    };
    log.close();
    expect(count).toBeLessThanOrEqual(20);
    const second = await started({ database, limits: { endedSignIns: 20 } });
    expect(await who(second, { cookie: ended })).toBe('anonymous');
    expect(await who(second, { cookie: await signIn(second, secrets.OTHER_KEY) })).toBe('reader');
  });

  it('is ended for this process, and says so, where that cannot be stored', async () => {
    verifies('session.ended');
    const { database, file } = inFolder();
    const at = await started({ database, requestTimeout: 2 });
    const cookie = await signIn(at, secrets.OTHER_KEY);
    const log = new DatabaseSync(file);
    log.exec('drop trigger svc__session_ended; drop table svc__ended_session');
    log.close();
    const { status, text, cookies } = await ask(at, 'DELETE /_svc/session', {
      headers: { cookie, origin: at.url },
    });
    expect([status, cookies]).toEqual([503, [expect.stringMatching(/^waymark-shop=$/)]]);
    expect(JSON.parse(text)).toMatchObject({
      detail: expect.stringContaining('could not be stored yet') as string,
    });
    expect(await who(at, { cookie })).toBe('anonymous');
  });
});
