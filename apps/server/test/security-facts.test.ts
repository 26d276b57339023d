import { verifies } from '@waymark/contract/testing';
import type { Application, RunningApplication } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { echo, knock, upgrade } from './knock.ts';
import { application, ask, secret, serve } from './serve.ts';

type Report = ReturnType<Application['security']>;

/** What the listing says; the application says the same without being asked over the network. */
async function reportOf(app: Application, { url }: RunningApplication, key?: string): Promise<Report> {
  const { body } = await ask(`${url}/_svc/security`, key === undefined ? {} : { key });
  expect(body).toEqual(JSON.parse(JSON.stringify(app.security())));
  return body as Report;
}

const limitsOf = ({ limits }: Report): Readonly<Record<string, unknown>> =>
  Object.fromEntries(limits.map(({ name, value }) => [name, value]));

describe('the security report of an application', () => {
  it('shows the headers that are sent, where nothing is declared', async () => {
    const app = application().get('/maps', () => 1);
    const running = await serve(app);
    const { security_headers } = await reportOf(app, running);
    const { headers } = await knock(`${running.url}/maps`);
    expect(security_headers).toEqual({
      enabled: true,
      frame_options: headers['x-frame-options'],
      referrer_policy: headers['referrer-policy'],
      content_security_policy: headers['content-security-policy'] ?? null,
      hsts_max_age: 31_536_000,
    });
    expect(security_headers?.frame_options).toBe('DENY');
  });

  it('shows the policy that a word stands for', async () => {
    const app = application()
      .get('/maps', () => 1)
      .securityHeaders({ contentSecurityPolicy: 'pages' });
    const running = await serve(app);
    const { security_headers } = await reportOf(app, running);
    const { headers } = await knock(`${running.url}/maps`);
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(security_headers?.content_security_policy).toBe(headers['content-security-policy']);
  });

  it('says what the plugins of features find: the memory that frames may take', async () => {
    const app = application().camera('door', { keep: 2, maxFrameBytes: 1_048_576 });
    const { notes } = await reportOf(app, await serve(app));
    expect(JSON.stringify(notes)).toContain('the frames of 1 cameras may take 2 MB of memory');
  });

  it('shows the headers that are declared, and the defaults of the others', async () => {
    const app = application({ trustProxy: 1 });
    app.securityHeaders({
      frameOptions: 'SAMEORIGIN',
      contentSecurityPolicy: "default-src 'self'",
      hstsMaxAge: 60,
    });
    const running = await serve(app.get('/maps', () => 1));
    expect((await reportOf(app, running)).security_headers).toEqual({
      enabled: true,
      frame_options: 'SAMEORIGIN',
      referrer_policy: 'strict-origin-when-cross-origin',
      content_security_policy: "default-src 'self'",
      hsts_max_age: 60,
    });
    const { headers } = await knock(`${running.url}/maps`, { headers: { 'x-forwarded-proto': 'https' } });
    expect(headers['strict-transport-security']).toBe('max-age=60');
  });

  it('tells which keys are taken as bearer tokens, and whose tokens are taken', async () => {
    verifies('authority.key.bearer', 'authority.jwt.issuer');
    const issuer = 'https://login.example.com';
    const app = application().apiKey('SHOP_KEY', 'shop', { bearer: true, scopes: ['svc:admin'] });
    app.apiKey('OTHER_KEY', 'other').jwt({ issuer, audience: 'shop' });
    const running = await serve(app);
    const texts = (await reportOf(app, running, secret)).notes.map(({ text }) => text);
    expect(texts).toEqual(
      expect.arrayContaining([
        'API key "shop" is also taken as a bearer token',
        `tokens of ${issuer} for shop are taken, with the keys that it publishes`,
      ]),
    );
    expect(texts.join()).not.toContain('"other"');
    expect(running.report.authentication).toBe(`2 API keys: shop, other; JSON Web Tokens of ${issuer}`);
  });

  it('tells how people of several issuers are named, and which of them are the same', async () => {
    verifies('authority.jwt.prefix');
    const at = (name: string) => ({ issuer: `https://${name}.example.com`, audience: 'shop' });
    const app = application()
      .jwt({ ...at('a'), subjectPrefix: '' })
      .jwt({ ...at('b'), subjectPrefix: '' });
    app.jwt({ ...at('c'), subjectPrefix: 'partner:' });
    const texts = app.security().notes.map(({ text }) => text);
    expect(texts.filter((text) => text.includes('whose id') || text.includes('the id of'))).toEqual([
      'the same sub of https://a.example.com and https://b.example.com is one person, whose id is sub',
      'the id of somebody with a token of https://c.example.com is "partner:" and sub',
    ]);
  });

  it('shows a default where an option is there and holds nothing', () => {
    const app = application().securityHeaders({ frameOptions: undefined } as object);
    expect(app.security().security_headers?.frame_options).toBe('DENY');
  });

  it('shows every limit in force by default', async () => {
    verifies('security.limits');
    const app = application();
    expect(limitsOf(await reportOf(app, await serve(app)))).toEqual({
      request_timeout: 30,
      agent_timeout: 600,
      shutdown_timeout: 25,
      rate_limit: 'none',
      failure_limit: 20,
      failure_limit_burst: 200,
      body: 1_048_576,
      body_values: 100_000,
      pattern_length: 1_024,
      body_depth: 64,
      body_number: 1024,
      tool_result: 8_388_608,
      tool_result_depth: 256,
      body_time: 30,
      header_size: 16_384,
      header_count: 100,
      header_time: 10,
      keep_alive: 75,
      runs_kept: 100_000,
      sent_ahead: 16,
      last_answer_time: 1,
      last_answers_per_address: 64,
      last_answers: 512,
      refused_socket_bytes: 16_384,
      message_fragments: 1024,
      run_bytes: 268_435_456,
      sessions: 100,
      sessions_total: 1_000,
      session_time: 3_600,
      session_bytes: 16_777_216,
      bodies_in_flight: 67_108_864,
      bodies_in_flight_total: 268_435_456,
      sockets: 100,
      sockets_total: 10_000,
      token: 8_192,
      sign_in: 43_200,
      sign_in_cookie: 3_800,
      ended_sign_ins: 10_000,
      mcp_batch: 50,
      mcp_batch_lists: 1_048_576,
      mcp_batch_results: 16_777_216,
      mcp_arguments_depth: 64,
      mcp_id: 128,
      mcp_progress_token: 128,
      run_depth: 8,
      run_value_depth: 512,
      idempotency_key: 255,
    });
  });

  it.each([
    [{}, 10_000],
    [{ maxEntries: 5 }, 5],
  ])('shows the entries of a memory that one caller may have: of %j %i', (options, value) => {
    verifies('security.limits');
    const app = application({ database: ':memory:' });
    app.memory('notes', options);
    const row = app.security().limits.find(({ name }) => name === 'memory_entries');
    expect(row).toEqual({
      name: 'memory_entries',
      ...{ value, unit: 'entries', note: 'each caller, in "notes"' },
    });
  });

  it('shows the limits that are declared', async () => {
    verifies('security.limits');
    const options = {
      ...{ requestTimeout: 5, failureLimit: { perSecond: 2 }, maxSocketsPerCaller: 7 },
      ...{
        sessions: { capacity: 20, perCaller: 30, ttl: 40, maxBytes: 60 },
        runs: { keepBytesPerCaller: 50 },
      },
    };
    const limits = { bodyValues: 9, bodyBytesPerCaller: 3_000_000, bodyBytes: 4_000_000, sockets: 9 };
    const app = application({ ...options, limits }).rateLimit(8, { burst: 9 });
    expect(limitsOf(await reportOf(app, await serve(app)))).toMatchObject({
      ...{ request_timeout: 5, body_time: 5, header_time: 5, run_bytes: 50 },
      ...{ sessions: 20, sessions_total: 20, session_time: 40, session_bytes: 60 },
      ...{ rate_limit: 8, rate_limit_burst: 9, failure_limit: 2, failure_limit_burst: 200, sockets: 7 },
      ...{ body_values: 9, bodies_in_flight: 3_000_000, bodies_in_flight_total: 4_000_000, sockets_total: 9 },
    });
    expect(limitsOf(application().rateLimit().security())).toMatchObject({
      rate_limit: 50,
      rate_limit_burst: 100,
    });
  });

  it('shows the limits of data that is declared', async () => {
    verifies('security.limits');
    const app = application({ database: ':memory:' }).resource('things', { id: 'string' });
    expect(limitsOf(await reportOf(app, await serve(app)))).toMatchObject({
      resource_list: 200,
      resource_key: 256,
      transaction_open: 5_000,
    });
  });

  it.each([100, 3])(
    'does not overstate: the limits it shows are those that hold, %s sockets too',
    async (maxSocketsPerCaller) => {
      const app = application({ maxSocketsPerCaller })
        .get('/maps', () => 1)
        .post('/maps', () => 1)
        .add(echo('/live'));
      const running = await serve(app);
      const limits = limitsOf(await reportOf(app, running)) as Readonly<Record<string, number>>;
      const { body = 0, header_count = 0, header_size = 0, sockets = 0 } = limits;
      const send = (bytes: number) =>
        knock(`${running.url}/maps`, { method: 'POST', body: 'x'.repeat(bytes) });
      expect([(await send(body)).status, (await send(body + 1)).status]).toEqual([200, 413]);

      // Host and Connection are there as well.
      const many = (count: number) =>
        knock(`${running.url}/maps`, {
          headers: Object.fromEntries(Array.from({ length: count - 2 }, (_, i) => [`x-${i}`, '1'])),
        });
      expect([(await many(header_count)).status, (await many(header_count + 1)).status]).toEqual([200, 431]);

      const long = (bytes: number) =>
        knock(`${running.url}/maps`, { headers: { 'x-long': 'x'.repeat(bytes) } });
      expect([(await long(header_size - 300)).status, (await long(header_size)).status]).toEqual([200, 431]);

      expect(sockets).toBe(maxSocketsPerCaller);
      const open: WebSocket[] = [];
      const live = `${running.url.replace('http', 'ws')}/live`;
      for (let i = 0; i < sockets; i++) open.push(await connected(live));
      expect((await knock(`${running.url}/live`, { headers: upgrade })).status).toBe(429);
      expect((await knock(`${running.url}/live`, { headers: upgrade, from: '127.0.0.2' })).status).toBe(101);
      open.pop()?.close();
      for (const socket of open) socket.close();
    },
  );

  it('shows cors, trusted proxies and allowed hosts as they are declared', async () => {
    const app = application({ trustProxy: ['10.0.0.0/8'], allowedHosts: ['shop.example'] });
    app.cors(['https://a.example'], { credentials: true });
    expect(await reportOf(app, await serve(app))).toMatchObject({
      cors: { origins: ['https://a.example'], credentials: true },
      trust_proxy: ['10.0.0.0/8'],
      allowed_hosts: ['shop.example'],
    });
  });

  it('is for administrators only once there are keys', async () => {
    const app = application().apiKey('SHOP_KEY', 'shop', { scopes: ['svc:admin'] });
    const running = await serve(app);
    expect((await ask(`${running.url}/_svc/security`)).status).toBe(401);
    expect(await reportOf(app, running, secret)).toMatchObject({ auth_configured: true });
  });
});

async function connected(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  return socket;
}
