import { verifies } from '@waymark/contract/testing';
import { type Application, type ApplicationOptions, HTTPError } from '@waymark/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startProgram } from './program.ts';
import { socketRoute } from './programs/socket-route.ts';
import { application, secrets, serve } from './served.ts';
import {
  ask,
  type Header,
  handshake,
  pipeline,
  type WireAnswer,
  type WireRequest,
} from './wire/connection.ts';

const good: Header = ['x-api-key', secrets.SHOP_KEY];
const wrong = (i = 0): WireRequest => ({
  target: '/open',
  headers: [['x-api-key', `wrong-key-number-${i}`]],
});
const forwarded = (address: string): Header => ['x-forwarded-for', address];

/** Buckets that are kept: with as many others behind it, the first is one too many. */
const mostKept = 10_000;

/** Nothing fills up again while a test runs. */
const slow = 0.001;

function shop(options: ApplicationOptions = {}): Application {
  const app = application(options).apiKey('SHOP_KEY', 'shop', { scopes: ['svc:admin'] });
  app.apiKey('OTHER_KEY', 'other').get('/open', { tool: true }, (_input, { user }) => user.id);
  return app.get('/closed', { scopes: ['closed:read'] }, () => 'closed');
}

function count(answers: readonly WireAnswer[], status: number): number {
  return answers.filter((answer) => answer.status === status).length;
}

function expectTooMany(answer: WireAnswer): void {
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
}

describe('ten thousand wrong credentials from one address', () => {
  it('are limited; others are served meanwhile, and memory does not grow', async () => {
    verifies('http.rate.failures', 'http.order.failure-bucket', 'http.status.429');
    const program = startProgram('e2e/test/programs/flooded.ts', {
      cwd: import.meta.dirname,
      env: { LOG_LEVEL: 'warn', SHOP_KEY: secrets.SHOP_KEY },
    });
    onTestFinished(() => void program.child.kill('SIGKILL'));
    const [, found] = await program.saying(/url http:\/\/127\.0\.0\.1:(\d+)\n/);
    const port = Number(found);
    const heap = async (): Promise<number> => Number((await ask(port, { target: '/heap' })).body);
    const flood = (from: number, to: number): Promise<readonly WireAnswer[]> =>
      pipeline(
        port,
        Array.from({ length: to - from }, (_, i) => wrong(from + i)),
      );

    const startedMs = performance.now();
    const first = await flood(0, 2000);
    const before = await heap();
    const elsewhere: number[] = [];
    let flooding = true;
    const watch = (async () => {
      while (flooding)
        elsewhere.push((await ask(port, { target: '/open', headers: [good] }, '127.0.0.2')).status);
    })();
    const rest = await flood(2000, 10_000);
    const seconds = (performance.now() - startedMs) / 1000;
    flooding = false;
    await watch;

    const answers = [...first, ...rest];
    const seen = count(answers, 401);
    expect(seen).toBeGreaterThanOrEqual(200);
    expect(seen).toBeLessThanOrEqual(201 + 20 * seconds);
    expect(seen + count(answers, 429)).toBe(10_000);
    for (const answer of answers) if (answer.status !== 401) expectTooMany(answer);
    expect(elsewhere.length).toBeGreaterThan(10);
    expect(new Set(elsewhere)).toEqual(new Set([200]));
    expect((await heap()) - before).toBeLessThan(2_000_000);

    // Whoever comes from the same address without a credential, or with a right one, was never kept out.
    expect((await ask(port, { target: '/open' })).status).toBe(200);
    expect((await ask(port, { target: '/open', headers: [good] })).status).toBe(200);
  });
});

describe('the limit of failures', () => {
  it('is under, at and over its burst, and keeps no right credential out', async () => {
    verifies('http.rate.failures', 'http.order.failure-bucket', 'http.order.failure-bucket.right-credential');
    const { port } = await serve(shop({ failureLimit: { perSecond: slow, burst: 3 } }));
    const answers = await pipeline(port, [wrong(), wrong(), wrong(), wrong()]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 429]);
    for (const refused of answers.slice(3)) {
      expectTooMany(refused);
      expect(refused.body).toContain('too many requests from this address failed');
      expect(refused.headers.get('retry-after')).toBe('1000');
    }
    expect((await ask(port, { target: '/open', headers: [good] })).body).toBe('"shop"');
    expect((await ask(port, { target: '/open' })).status).toBe(200);
    expect((await ask(port, { target: '/_svc/health', headers: [good] })).status).toBe(200);
  });

  it('counts paths that lead nowhere for callers without a name: under, at and over', async () => {
    verifies('http.rate.failures', 'http.order.failure-bucket.known');
    const { port } = await serve(shop({ failureLimit: { perSecond: slow, burst: 3 } }));
    const scan = (headers: readonly Header[]): Promise<readonly WireAnswer[]> =>
      pipeline(
        port,
        [1, 2, 3, 4, 5].map((i) => ({ target: `/admin-${i}`, headers })),
      );
    expect((await scan([good])).map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect((await scan([])).map(({ status }) => status)).toEqual([404, 404, 404, 429, 429]);
    expect((await scan([good])).map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect((await ask(port, { target: '/open', headers: [good] })).status).toBe(200);
    expect((await ask(port, { target: '/closed', headers: [good] })).status).toBe(403);
    expect((await ask(port, { target: '/admin-6' }, '127.0.0.2')).status).toBe(404);
  });

  it('leaves 400 look-ups of what is not there as they are', async () => {
    verifies('http.order.failure-bucket.engines');
    const app = shop().get('/find/{id}', ({ id }): string => {
      throw new HTTPError(404, `no ${id}`);
    });
    const { port } = await serve(app);
    const lookUp = (headers: readonly Header[]): Promise<readonly WireAnswer[]> =>
      pipeline(
        port,
        Array.from({ length: 400 }, (_, i) => ({ target: `/find/${i}`, headers })),
      );
    expect(count(await lookUp([good]), 404)).toBe(400);
    expect(count(await lookUp([]), 404)).toBe(400);
    // And none of them is charged to anybody.
    expect((await ask(port, { target: '/nowhere' })).status).toBe(404);
  });

  it('counts wrong credentials of upgrades, in headers and in the query', async () => {
    verifies('http.rate.failures');
    const app = shop({ failureLimit: { perSecond: slow, burst: 2 } });
    const { port } = await serve(app.add(socketRoute('/feed', {}, (peer) => peer.close())));
    const upgrade = async (query: string, ...headers: readonly Header[]): Promise<number> =>
      (await ask(port, { target: `/feed${query}`, headers: [...handshake, ...headers] })).status;
    expect(await upgrade('?access_token=wrong-1')).toBe(401);
    expect(await upgrade('', ['x-api-key', 'wrong-2'])).toBe(401);
    expect(await upgrade('?access_token=wrong-3')).toBe(429);
    expect(await upgrade(`?access_token=${secrets.SHOP_KEY}`)).toBe(101);
    expect(await upgrade('')).toBe(101);
  });

  it('believes no X-Forwarded-For unless told to', async () => {
    verifies('http.rate.trust-proxy');
    const fail = (i: number): WireRequest => ({
      target: '/nowhere',
      headers: [forwarded(`198.51.100.${i}`)],
    });
    const failures = [1, 2, 3, 4].map(fail);
    const failureLimit = { perSecond: slow, burst: 3 };
    const { port } = await serve(shop({ failureLimit }));
    expect((await pipeline(port, failures)).map(({ status }) => status)).toEqual([404, 404, 404, 429]);
    const behind = await serve(shop({ failureLimit, trustProxy: 1 }));
    expect((await pipeline(behind.port, failures)).map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    // What the client wrote itself is further left.
    const forged = [1, 2, 3, 4].map((i) => ({
      target: '/nowhere',
      headers: [forwarded(`203.0.113.${i}, 192.0.2.7`)],
    }));
    expect((await pipeline(behind.port, forged)).map(({ status }) => status)).toEqual([404, 404, 404, 429]);
  });

  it('takes a /64 of IPv6 for one client, and IPv4 within IPv6 for IPv4', async () => {
    verifies('http.rate.by-address');
    const { port } = await serve(shop({ failureLimit: { perSecond: slow, burst: 2 }, trustProxy: 1 }));
    const fail = async (address: string): Promise<number> =>
      (await ask(port, { target: '/nowhere', headers: [forwarded(address)] })).status;
    expect(await fail('2001:db8:1:2::1')).toBe(404);
    expect(await fail('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(404);
    expect(await fail('2001:DB8:1:2:8000::')).toBe(429);
    expect(await fail('2001:db8:1:3::1')).toBe(404);
    expect(await fail('198.51.100.9')).toBe(404);
    expect(await fail('::ffff:198.51.100.9')).toBe(404);
    expect(await fail('198.51.100.9')).toBe(429);
  });

  it('remembers so many addresses and no more: 10,000 later the first is forgotten', async () => {
    verifies('http.rate.bounded');
    const { port } = await serve(shop({ failureLimit: { perSecond: slow, burst: 1 }, trustProxy: 1 }));
    const fail = (address: string): WireRequest => ({
      ...wrong(),
      headers: [...(wrong().headers ?? []), forwarded(address)],
    });
    const first = '192.0.2.1';
    expect((await pipeline(port, [fail(first), fail(first)])).map(({ status }) => status)).toEqual([
      401, 429,
    ]);
    const others = Array.from({ length: mostKept }, (_, i) => fail(`10.0.${i >> 8}.${i & 255}`));
    expect(count(await pipeline(port, others), 401)).toBe(mostKept);
    // The newest is still known.
    expect((await ask(port, fail('10.0.39.15'))).status).toBe(429);
    expect((await ask(port, fail(first))).status).toBe(401);
  });
});

describe('the rate limit', () => {
  const limited = (burst: number, options: ApplicationOptions = {}): Application =>
    shop(options).rateLimit(slow, { burst });
  const asShop: WireRequest = { target: '/open', headers: [good] };

  it('lets a principal under and at its burst through, and not over it, and says so in headers', async () => {
    verifies('http.rate.bucket', 'http.rate.headers', 'http.status.429', 'declare.rate-limit');
    const { port } = await serve(limited(3));
    // One after the other: the headers say how it stands when the answer is sent.
    const answers: WireAnswer[] = [];
    for (let i = 0; i < 4; i++) answers.push(await ask(port, asShop));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers.map(({ headers }) => headers.get('ratelimit'))).toEqual([
      '"default";r=2;t=1000',
      '"default";r=1;t=2000',
      '"default";r=0;t=3000',
      '"default";r=0;t=3000',
    ]);
    for (const { headers } of answers) expect(headers.get('ratelimit-policy')).toBe('"default";q=3;w=3000');
    expect(answers.map(({ headers }) => headers.get('retry-after'))).toEqual([
      ...[undefined, undefined, undefined],
      '1000',
    ]);
  });

  it('gives each principal a bucket of its own, from whatever address', async () => {
    verifies('http.rate.by-principal');
    const { port } = await serve(limited(2));
    expect((await ask(port, asShop)).status).toBe(200);
    expect((await ask(port, asShop, '127.0.0.2')).status).toBe(200);
    expect((await ask(port, asShop, '127.0.0.3')).status).toBe(429);
    expect((await ask(port, { target: '/open', headers: [['x-api-key', secrets.OTHER_KEY]] })).status).toBe(
      200,
    );
    expect((await ask(port, { target: '/open' })).status).toBe(200);
  });

  it('gives anonymous callers a bucket for each address, of IPv6 for each /64', async () => {
    verifies('http.rate.by-address');
    const { port } = await serve(limited(1));
    const statuses = [
      (await ask(port, { target: '/open' })).status,
      (await ask(port, { target: '/open' })).status,
      (await ask(port, { target: '/open' }, '127.0.0.2')).status,
    ];
    expect(statuses).toEqual([200, 429, 200]);
    const behind = await serve(limited(5, { trustProxy: 1 }));
    const sameNetwork = Array.from({ length: 200 }, (_, i) => ({
      target: '/open',
      headers: [forwarded(`2001:db8::${i.toString(16)}:1`)],
    }));
    expect(count(await pipeline(behind.port, sameNetwork), 200)).toBe(5);
    const networks = Array.from({ length: 200 }, (_, i) => ({
      target: '/open',
      headers: [forwarded(`2001:db8:0:${(i + 1).toString(16)}::1`)],
    }));
    expect(count(await pipeline(behind.port, networks), 200)).toBe(200);
  });

  it('has a bound on its buckets', async () => {
    verifies('http.rate.bounded');
    const { port } = await serve(limited(1, { trustProxy: 1 }));
    const from = (address: string): WireRequest => ({ target: '/open', headers: [forwarded(address)] });
    const first = from('192.0.2.1');
    expect((await pipeline(port, [first, first])).map(({ status }) => status)).toEqual([200, 429]);
    const others = Array.from({ length: mostKept }, (_, i) => from(`10.0.${i >> 8}.${i & 255}`));
    expect(count(await pipeline(port, others), 200)).toBe(mostKept);
    expect((await ask(port, first)).status).toBe(200);
  });

  it('comes after authentication and before scopes', async () => {
    verifies('http.order.rate');
    const { port } = await serve(limited(2));
    const closed: WireRequest = { target: '/closed', headers: [good] };
    // A credential that is nobody's is charged to nobody.
    expect((await ask(port, wrong())).status).toBe(401);
    const statuses = (await pipeline(port, [closed, closed, closed, wrong(1)])).map(({ status }) => status);
    expect(statuses).toEqual([403, 403, 429, 401]);
  });

  it('does not concern health, and charges the rest of the control plane', async () => {
    const { port } = await serve(limited(1));
    const answers = await pipeline(port, [
      ...Array.from({ length: 10 }, () => ({ target: '/_svc/health', headers: [good] })),
      { target: '/_svc/routes', headers: [good] },
      { target: '/_svc/routes', headers: [good] },
    ]);
    expect(count(answers.slice(0, 10), 200)).toBe(10);
    expect(answers.slice(0, 10).some(({ headers }) => headers.has('ratelimit'))).toBe(false);
    expect(answers.slice(10).map(({ status }) => status)).toEqual([200, 429]);
  });

  it('charges each member of an MCP batch', async () => {
    verifies('http.rate.batch-members');
    const { port } = await serve(limited(6));
    const call = (id: number): object => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'get_open', arguments: {} },
    });
    const batch = (size: number): WireRequest => ({
      target: '/_svc/mcp',
      headers: [good, ['content-type', 'application/json']],
      body: JSON.stringify(Array.from({ length: size }, (_, i) => call(i))),
    });
    const results = ({ body }: WireAnswer): readonly string[] =>
      (JSON.parse(body) as { result: { content: { text: string }[] } }[]).map(
        ({ result }) => result.content[0]?.text ?? '',
      );
    const first = await ask(port, batch(3));
    expect(results(first)).toEqual(['shop', 'shop', 'shop']);
    expect(first.headers.get('ratelimit')).toMatch(/;r=2;/);
    const limitedText = 'tool get_open failed with 429: the rate limit is exceeded';
    expect(results(await ask(port, batch(3)))).toEqual(['shop', limitedText, limitedText]);
    expectTooMany(await ask(port, batch(1)));
  });

  it('lets 100 through at once and then 50 a second where nothing else is said', async () => {
    verifies('declare.rate-limit.per-second.default', 'declare.rate-limit.burst.default', 'limit.rate');
    const { port } = await serve(shop().rateLimit());
    const startedMs = performance.now();
    const first = await ask(port, asShop);
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=100;w=2');
    expect(first.headers.get('ratelimit')).toBe('"default";r=99;t=1');
    const answers = await pipeline(
      port,
      Array.from({ length: 400 }, () => asShop),
    );
    const seconds = (performance.now() - startedMs) / 1000;
    const passed = 1 + count(answers, 200);
    expect(passed).toBeGreaterThanOrEqual(100);
    expect(passed).toBeLessThanOrEqual(101 + 50 * seconds);
    expect(passed + count(answers, 429)).toBe(401);
  });

  it('charges upgrades, and says so in the handshake', async () => {
    verifies('http.rate.headers');
    const { port } = await serve(limited(1).add(socketRoute('/feed', {}, (peer) => peer.close())));
    const upgrade: WireRequest = { target: '/feed', headers: [...handshake, good] };
    const opened = await ask(port, upgrade);
    expect([opened.status, opened.headers.get('ratelimit')]).toEqual([101, '"default";r=0;t=1000']);
    expectTooMany(await ask(port, upgrade));
  });

  it('is off where none is declared', async () => {
    const { port } = await serve(shop());
    const answers = await pipeline(
      port,
      Array.from({ length: 1000 }, () => asShop),
    );
    expect(count(answers, 200)).toBe(1000);
    expect(answers.some(({ headers }) => headers.has('ratelimit') || headers.has('ratelimit-policy'))).toBe(
      false,
    );
  });
});
