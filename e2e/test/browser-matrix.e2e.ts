import { toRoute } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { type Application, createApplication, Reply, type RunningApplication } from '@waymark/server';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { launchBrowser } from './device-pages.ts';
import { type ForeignSite, openForeignSite } from './foreign-site.ts';
import {
  type Fetched,
  fetchFrom,
  framesFrom,
  hasOpener,
  type Init,
  openFrom,
  postFromSandbox,
  setCookieFrom,
  submitFrom,
  talkFrom,
} from './page-actions.ts';

const executablePath = inject('chromium');
const json = { 'content-type': 'application/json' };
const key = 'a-secret-of-more-than-16-bytes';

describe.skipIf(executablePath === '')('in a browser', () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let site: ForeignSite;
  const running: RunningApplication[] = [];
  /** What reached a handler that changes state. */
  let changes: string[] = [];

  beforeAll(async () => {
    site = await openForeignSite();
    browser = await launchBrowser(executablePath, [
      '--no-proxy-server',
      // What an attacker does with the name server of his own domain.
      '--host-resolver-rules=MAP evil.test 127.0.0.1, MAP app.test 127.0.0.1',
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });
  beforeEach(async () => {
    changes = [];
    context = await browser.newContext();
    page = await context.newPage();
  });
  afterEach(async () => {
    await context.close();
    await Promise.all(running.splice(0).map((one) => one.close()));
  });

  function desk(options: Parameters<typeof createApplication>[1] = {}): Application {
    const app = createApplication('desk', {
      port: 0,
      ...options,
      env: { LOG_LEVEL: 'silent', DESK_KEY: key },
    });
    const change = (
      _input: unknown,
      { method, headers }: { method: string; headers: Readonly<Record<string, string>> },
    ) => {
      changes.push(method);
      return { changed: true, cookie: headers['cookie'] ?? null };
    };
    app.get('/', () =>
      html(
        '<title>start</title><script>document.title = "inline ran"</script><script src="/script.js"></script>',
      ),
    );
    app.get(
      '/script.js',
      () => new Reply('document.body.className = "script ran"', 200, {}, 'text/javascript'),
    );
    app.get('/notes', (_input, { headers }) => ({ notes: ['secret'], cookie: headers['cookie'] ?? null }));
    app.post('/notes', change).put('/notes', change).delete('/notes', change);
    app.get('/closed', { scopes: ['notes:read'] }, () => 'closed');
    return app.add(
      toRoute(
        'GET',
        '/live',
        { kind: 'handler', accept: (peer) => void peer.onMessage((text) => peer.send(text)) },
        { socket: true },
      ),
    );
  }

  async function serve(app: Application): Promise<RunningApplication> {
    const one = await app.listen();
    running.push(one);
    return one;
  }

  const socketOf = (url: string): string => `${url.replace('http', 'ws')}/live`;
  const post = (body = '{}', headers: Record<string, string> = json): Init => ({
    method: 'POST',
    headers,
    body,
  });

  describe.each([
    ['another port', '127.0.0.1'],
    ['another site', 'localhost'],
  ])('a page of %s', (_what, name) => {
    let origin: string;
    beforeEach(async () => {
      origin = `http://${name}:${site.port}`;
      await page.goto(origin);
    });

    it('cannot change anything, by form, text or JSON', async () => {
      verifies('http.browser.cross-origin');
      const { url } = await serve(desk());
      expect(await fetchFrom(page, `${url}/notes`, post('a=1', { 'content-type': 'text/plain' }))).toBe(
        'refused',
      );
      expect(await fetchFrom(page, `${url}/notes`, { ...post('a=1', {}), mode: 'no-cors' })).toMatchObject({
        type: 'opaque',
      });
      expect(await fetchFrom(page, `${url}/notes`, post())).toBe('refused');
      for (const method of ['PUT', 'DELETE'])
        expect(await fetchFrom(page, `${url}/notes`, { method })).toBe('refused');
      expect(
        await fetchFrom(page, `${url}/_svc/mcp`, post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')),
      ).toBe('refused');
      expect(
        await fetchFrom(page, `${url}/notes`, { method: 'POST', keepalive: true, mode: 'no-cors' }),
      ).toMatchObject({ type: 'opaque' });
      expect(await submitFrom(page, `${url}/notes`)).toBe(403);
      expect(changes).toEqual([]);
    });

    it('cannot read an answer, nor send one of its headers', async () => {
      const { url } = await serve(desk());
      expect(await fetchFrom(page, `${url}/notes`)).toBe('refused');
      expect(await fetchFrom(page, `${url}/notes`, { mode: 'no-cors' })).toMatchObject({
        type: 'opaque',
        status: 0,
        text: '',
      });
      expect(await fetchFrom(page, `${url}/notes`, { headers: { 'x-api-key': key } })).toBe('refused');
    });

    it('cannot open a WebSocket', async () => {
      verifies('http.browser.upgrade');
      const { url } = await serve(desk());
      expect(await talkFrom(page, socketOf(url))).toBe('refused');
    });

    it('cannot frame a page, nor keep hold of one that it opens', async () => {
      const { url } = await serve(desk());
      expect(await framesFrom(page, `${url}/`)).toBe(false);
      const popup = await openFrom(page, `${url}/`);
      expect(await popup.title()).toBe('inline ran');
      expect(await hasOpener(popup)).toBe(false);
      const open = await serve(desk().securityHeaders({ enabled: false }));
      expect(await hasOpener(await openFrom(page, `${open.url}/`))).toBe(true);
    });

    it('can do all of it once it is listed, with a key of its own', async () => {
      verifies('declare.cors', 'http.browser.cors-allows', 'http.order.preflight');
      const app = desk()
        .apiKey('DESK_KEY', 'desk', { scopes: ['notes:read'] })
        .cors([origin]);
      const { url } = await serve(app);
      expect(await fetchFrom(page, `${url}/notes`)).toMatchObject({ type: 'cors', status: 200 });
      expect(await fetchFrom(page, `${url}/notes`, post())).toMatchObject({ status: 200 });
      expect(
        await fetchFrom(page, `${url}/notes`, post('a', { 'content-type': 'text/plain' })),
      ).toMatchObject({ status: 200 });
      for (const method of ['PUT', 'DELETE'])
        expect(await fetchFrom(page, `${url}/notes`, { method })).toMatchObject({ status: 200 });
      expect(changes).toEqual(['POST', 'POST', 'PUT', 'DELETE']);
      expect(await talkFrom(page, socketOf(url))).toBe('hello');
      expect(await fetchFrom(page, `${url}/closed`, { headers: { 'x-api-key': key } })).toMatchObject({
        status: 200,
        text: '"closed"',
      });
      expect(await fetchFrom(page, `${url}/closed`)).toMatchObject({
        status: 401,
        text: expect.stringContaining('"detail"') as string,
      });
      expect(await fetchFrom(page, `${url}/nowhere`)).toMatchObject({ status: 404 });
      expect(await submitFrom(page, `${url}/notes`)).toBe(200);
    });

    it('is refused a header or method that is not listed', async () => {
      verifies('declare.cors.methods.default', 'declare.cors.headers.default');
      const { url } = await serve(desk().cors([origin]));
      const listed = ['authorization', 'x-api-key', 'x-request-id', 'idempotency-key', 'last-event-id'];
      const allowed = Object.fromEntries(listed.map((header) => [header, 'Bearer x']));
      expect(await fetchFrom(page, `${url}/notes`, { headers: allowed })).toMatchObject({ status: 401 });
      expect(await fetchFrom(page, `${url}/notes`, { headers: { 'x-other': '1' } })).toBe('refused');
      const narrow = await serve(desk().cors([origin], { methods: ['PUT'], headers: ['x-other'] }));
      expect(await fetchFrom(page, `${narrow.url}/notes`, { headers: { 'x-other': '1' } })).toMatchObject({
        status: 200,
      });
      expect(await fetchFrom(page, `${narrow.url}/notes`, { method: 'PUT' })).toMatchObject({ status: 200 });
      expect(await fetchFrom(page, `${narrow.url}/notes`, { method: 'DELETE' })).toBe('refused');
    });
  });

  it('a listed page sends cookies, and reads what comes back, only when credentials are declared', async () => {
    verifies('declare.cors.credentials.default');
    const origin = `http://127.0.0.1:${site.port}`;
    await page.goto(origin);
    // Cookies know no ports: this one is the server's as well.
    await setCookieFrom(page, 'session=1');
    const plain = await serve(desk().cors([origin]));
    expect(await fetchFrom(page, `${plain.url}/notes`)).toMatchObject({
      text: '{"notes":["secret"],"cookie":null}',
    });
    expect(await fetchFrom(page, `${plain.url}/notes`, { credentials: 'include' })).toBe('refused');
    const trusting = await serve(desk().cors([origin], { credentials: true }));
    expect(await fetchFrom(page, `${trusting.url}/notes`, { credentials: 'include' })).toMatchObject({
      text: '{"notes":["secret"],"cookie":"session=1"}',
    });
    expect(
      await fetchFrom(page, `${trusting.url}/notes`, { ...post(), credentials: 'include' }),
    ).toMatchObject({ status: 200 });
  });

  it('a listed page reads the headers that are exposed, and the safe ones', async () => {
    verifies('declare.cors.expose.default');
    const origin = `http://localhost:${site.port}`;
    await page.goto(origin);
    const headersOf = (answer: Fetched) => (answer === 'refused' ? [] : Object.keys(answer.headers).sort());
    const plain = await serve(desk().cors([origin]));
    expect(headersOf(await fetchFrom(page, `${plain.url}/notes`))).toEqual([
      'content-length',
      'content-type',
    ]);
    const open = await serve(
      desk()
        .cors([origin], { expose: ['x-request-id', 'ratelimit'] })
        .rateLimit(),
    );
    expect(headersOf(await fetchFrom(page, `${open.url}/notes`))).toEqual([
      ...['content-length', 'content-type', 'ratelimit', 'x-request-id'],
    ]);
  });

  it('a browser remembers a preflight for as long as it is told', async () => {
    verifies('declare.cors.max-age.default');
    const origin = `http://localhost:${site.port}`;
    await page.goto(origin);
    const inspector = await context.newCDPSession(page);
    await inspector.send('Network.enable');
    const asked: string[] = [];
    inspector.on('Network.requestWillBeSent', ({ request: { method } }) => {
      if (method === 'OPTIONS') asked.push(method);
    });
    const putTwice = async (app: Application): Promise<number> => {
      asked.length = 0;
      const { url } = await serve(app);
      for (let i = 0; i < 2; i++)
        expect(await fetchFrom(page, `${url}/notes`, { method: 'PUT' })).toMatchObject({ status: 200 });
      return asked.length;
    };
    expect(await putTwice(desk().cors([origin]))).toBe(1);
    expect(await putTwice(desk().cors([origin], { maxAge: 0 }))).toBe(2);
  });

  it('a page without an origin is nobody, even where any origin is welcome', async () => {
    const { url } = await serve(desk().cors(['*']));
    await page.goto(`http://localhost:${site.port}`);
    expect(await fetchFrom(page, `${url}/notes`, post())).toMatchObject({ status: 200 });
    expect(await postFromSandbox(page, `${url}/notes`)).toBe('null refused');
    expect(changes).toEqual(['POST']);
  });

  it('a page of the service itself can do everything', async () => {
    const { url } = await serve(desk());
    await page.goto(url);
    expect(await fetchFrom(page, '/notes')).toMatchObject({ type: 'basic', status: 200 });
    expect(await fetchFrom(page, '/notes', post())).toMatchObject({ status: 200 });
    for (const method of ['PUT', 'DELETE'])
      expect(await fetchFrom(page, '/notes', { method })).toMatchObject({ status: 200 });
    expect(await fetchFrom(page, '/_svc/tools')).toMatchObject({ status: 200 });
    expect(await talkFrom(page, socketOf(url))).toBe('hello');
    expect(await submitFrom(page, `${url}/notes`)).toBe(200);
    expect(changes).toEqual(['POST', 'PUT', 'DELETE', 'POST']);
  });

  it('every answer a browser gets has the protective headers', async () => {
    verifies('http.headers.everywhere', 'declare.security-headers');
    const policy = "default-src 'self'";
    const { url } = await serve(
      desk().apiKey('DESK_KEY', 'desk').securityHeaders({ contentSecurityPolicy: policy }),
    );
    // The pages of the service itself have one of their own, which allows less.
    const own = expect.stringContaining("default-src 'none'") as unknown;
    for (const [path, status, sent] of [
      ['/', 200, policy],
      ['/nowhere', 404, own],
      ['/closed', 401, own],
      ['/live', 426, own],
    ] as const) {
      const answer = await page.goto(url + path);
      expect(answer?.status()).toBe(status);
      expect(answer?.headers()).toMatchObject({
        'content-security-policy': sent,
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'strict-origin-when-cross-origin',
        'cross-origin-opener-policy': 'same-origin',
      });
    }
  });

  it('a content security policy is enforced; without one scripts run as they are', async () => {
    verifies('declare.security-headers.csp.default');
    const plain = await serve(desk());
    await page.goto(plain.url);
    expect([await page.title(), await page.getAttribute('body', 'class')]).toEqual([
      'inline ran',
      'script ran',
    ]);
    const strict = await serve(desk().securityHeaders({ contentSecurityPolicy: "default-src 'self'" }));
    await page.goto(strict.url);
    expect([await page.title(), await page.getAttribute('body', 'class')]).toEqual(['start', 'script ran']);
    expect(await fetchFrom(page, `http://localhost:${site.port}/`, { mode: 'no-cors' })).toBe('refused');
  });

  it('pages frame each other only where frameOptions says so', async () => {
    verifies('declare.security-headers.frame-options.default');
    const closed = await serve(desk());
    await page.goto(closed.url);
    expect(await framesFrom(page, `${closed.url}/`)).toBe(false);
    const open = await serve(desk().securityHeaders({ frameOptions: 'SAMEORIGIN' }));
    await page.goto(open.url);
    expect(await framesFrom(page, `${open.url}/`)).toBe(true);
    await page.goto(`http://localhost:${site.port}`);
    expect(await framesFrom(page, `${open.url}/`)).toBe(false);
    const none = await serve(desk().securityHeaders({ enabled: false }));
    expect(await framesFrom(page, `${none.url}/`)).toBe(true);
  });

  it('a name that somebody points at this machine reaches nothing while there is no authentication', async () => {
    verifies('http.host.without-authentication', 'http.host.says-option', 'authority.control.allowed-host');
    const { port } = await serve(desk());
    const evil = `http://evil.test:${port}`;
    const answer = await page.goto(`${evil}/notes`);
    expect(answer?.status()).toBe(403);
    expect(await page.textContent('body')).toContain('`allowedHosts`');
    // To the browser the attacker's page and the service are one origin now: nothing else stands between them.
    // What is there is a page of ours with a policy, which the attacker's would not have.
    const unruled = await browser.newContext({ bypassCSP: true });
    const attack = await unruled.newPage();
    await attack.goto(`${evil}/notes`);
    for (const path of ['/notes', '/_svc/health', '/_svc/tools'])
      expect(await fetchFrom(attack, path)).toMatchObject({ type: 'basic', status: 403 });
    expect(await fetchFrom(attack, '/notes', post())).toMatchObject({ status: 403 });
    expect(
      await fetchFrom(attack, '/_svc/mcp', post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')),
    ).toMatchObject({ status: 403 });
    expect(await talkFrom(attack, `ws://evil.test:${port}/live`)).toBe('refused');
    await unruled.close();
    expect(changes).toEqual([]);
  });

  it('the machine’s own names reach it all the same', async () => {
    const { port } = await serve(desk());
    for (const name of ['localhost', '127.0.0.1']) {
      const answer = await page.goto(`http://${name}:${port}/notes`);
      expect(answer?.status()).toBe(200);
      expect(await fetchFrom(page, '/notes', post())).toMatchObject({ status: 200 });
      expect(await fetchFrom(page, '/_svc/tools')).toMatchObject({ status: 200 });
      expect(await talkFrom(page, `ws://${name}:${port}/live`)).toBe('hello');
    }
  });

  it('with authentication such a name reaches public routes and health, and not the control plane', async () => {
    verifies('http.host.allow-list', 'http.host.health');
    const { port } = await serve(desk().apiKey('DESK_KEY', 'desk', { scopes: ['svc:admin'] }));
    await page.goto(`http://evil.test:${port}/notes`);
    expect(await fetchFrom(page, '/notes')).toMatchObject({ status: 200 });
    expect(await fetchFrom(page, '/_svc/health')).toMatchObject({ status: 200 });
    const headers = { 'x-api-key': key };
    expect(await fetchFrom(page, '/_svc/tools', { headers })).toMatchObject({ status: 403 });
    await page.goto(`http://localhost:${port}/notes`);
    expect(await fetchFrom(page, '/_svc/tools', { headers })).toMatchObject({ status: 200 });
  });

  it('a name of our own works as soon as it is listed, as a host or as the public address', async () => {
    verifies('http.host.allow-list');
    for (const options of [{ allowedHosts: ['app.test'] }, { publicUrl: 'http://app.test' }]) {
      const { port } = await serve(desk(options));
      const answer = await page.goto(`http://app.test:${port}/notes`);
      expect(answer?.status()).toBe(200);
      expect(await fetchFrom(page, '/notes', post())).toMatchObject({ status: 200 });
      expect(await fetchFrom(page, '/_svc/tools')).toMatchObject({ status: 200 });
      expect((await page.goto(`http://evil.test:${port}/notes`))?.status()).toBe(403);
    }
  });
});

function html(body: string): Reply {
  return new Reply(`<!doctype html><body>${body}</body>`, 200, {}, 'text/html');
}
