import { verifies } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { doors, echo, type Knock, type Knocked, knock, upgrade } from './knock.ts';
import { otherSecret, secret, serve } from './serve.ts';

/** So slow that nothing comes back while a test runs. */
const hardlyEver = 0.001;

function maps(app: Application): Application {
  return app
    .get('/maps', { tool: true }, () => ['atlas'])
    .get('/closed', { scopes: ['maps:read'] }, () => 'secret')
    .add(echo('/live'));
}

/** Seconds that went by while the test ran are no fault. */
function isAbout(seconds: number, said: number): boolean {
  return said <= seconds && said > seconds - 10;
}

/** Asks so many times in a row. */
async function askTimes(count: number, url: string, options: Knock = {}): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) statuses.push((await knock(url, options)).status);
  return statuses;
}

/** Asks so many times at once; `most` is what a bucket can have let through in the time that took. */
async function flood(
  url: string,
  count: number,
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
): Promise<{ readonly answers: readonly Knocked[]; readonly most: number }> {
  const startedMs = performance.now();
  const answers = await Promise.all(Array.from({ length: count }, () => knock(url)));
  const seconds = (performance.now() - startedMs) / 1000;
  return { answers, most: burst + Math.ceil(seconds * perSecond) };
}

const count = (answers: readonly Knocked[], wanted: number): number =>
  answers.filter(({ status }) => status === wanted).length;

describe.each(doors)('the rate limit, %s', (_door, application) => {
  it('is none until it is declared', async () => {
    const { url } = await serve(maps(application()));
    const { answers } = await flood(`${url}/maps`, 150, { perSecond: 0, burst: 0 });
    expect(count(answers, 200)).toBe(150);
    expect(answers[0]?.headers['ratelimit']).toBeUndefined();
  });

  it('lets 100 through at once and then 50 a second by default', async () => {
    verifies(
      'declare.rate-limit.per-second.default',
      'declare.rate-limit.burst.default',
      'limit.rate',
      'http.rate.bucket',
    );
    const { url } = await serve(maps(application().rateLimit()));
    const first = await knock(`${url}/maps`);
    expect(first.headers['ratelimit']).toMatch(/^"default";r=(99;t=1|100;t=0)$/);
    expect(first.headers['ratelimit-policy']).toBe('"default";q=100;w=2');
    const { answers, most } = await flood(`${url}/maps`, 400, { perSecond: 50, burst: 100 });
    expect(count(answers, 200)).toBeGreaterThanOrEqual(99);
    expect(count(answers, 200)).toBeLessThanOrEqual(most);
    expect(count(answers, 200) + count(answers, 429)).toBe(400);
  });

  it('lets exactly the burst through, then says when to come back', async () => {
    verifies('declare.rate-limit', 'http.status.429', 'http.rate.headers');
    const { url } = await serve(maps(application().rateLimit(0.01, { burst: 3 })));
    const answers: Knocked[] = [];
    for (let i = 0; i < 4; i++) answers.push(await knock(`${url}/maps`));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    const left = answers.map(({ headers }) => /^"default";r=(\d+);t=(\d+)$/.exec(headers['ratelimit'] ?? ''));
    expect(left.map((match) => Number(match?.[1]))).toEqual([2, 1, 0, 0]);
    for (const [i, seconds] of [100, 200, 300, 300].entries())
      expect(isAbout(seconds, Number(left[i]?.[2]))).toBe(true);
    for (const { headers } of answers) expect(headers['ratelimit-policy']).toBe('"default";q=3;w=300');
    const [, , last, refused] = answers;
    expect(refused?.detail).toBe('the rate limit is exceeded');
    expect(isAbout(100, Number(refused?.headers['retry-after']))).toBe(true);
    expect(last?.headers['retry-after']).toBeUndefined();
  });

  it('takes a burst that is declared alone', async () => {
    const { url } = await serve(maps(application().rateLimit(undefined, { burst: 7 })));
    const { headers } = await knock(`${url}/maps`);
    expect(headers['ratelimit-policy']).toBe('"default";q=7;w=1');
  });

  it('is what was declared last, as a whole', async () => {
    const { url } = await serve(maps(application().rateLimit(1, { burst: 1 }).rateLimit(10)));
    const { headers } = await knock(`${url}/maps`);
    expect(headers['ratelimit-policy']).toBe('"default";q=100;w=10');
  });

  it('counts a known caller wherever it comes from, and others by address', async () => {
    verifies('http.rate.by-principal', 'http.rate.by-address');
    const app = application().rateLimit(hardlyEver, { burst: 2 });
    app.apiKey('SHOP_KEY', 'shop').apiKey('OTHER_KEY', 'other');
    const { url } = await serve(maps(app));
    const as = (key: string, from: string): Knock => ({ from, headers: { 'x-api-key': key } });
    expect(await askTimes(1, `${url}/maps`, as(secret, '127.0.0.1'))).toEqual([200]);
    expect(await askTimes(2, `${url}/maps`, as(secret, '127.0.0.2'))).toEqual([200, 429]);
    expect(await askTimes(3, `${url}/maps`, as(otherSecret, '127.0.0.2'))).toEqual([200, 200, 429]);
    expect(await askTimes(3, `${url}/maps`, { from: '127.0.0.2' })).toEqual([200, 200, 429]);
    expect(await askTimes(3, `${url}/maps`, { from: '127.0.0.3' })).toEqual([200, 200, 429]);
  });

  it('counts all of an IPv6 /64 as one, as far as a trusted proxy tells', async () => {
    verifies('http.rate.by-address');
    const { url } = await serve(maps(application({ trustProxy: 1 }).rateLimit(hardlyEver, { burst: 2 })));
    const via = (address: string): Promise<number[]> =>
      askTimes(1, `${url}/maps`, { headers: { 'x-forwarded-for': address } });
    expect(await via('2001:db8::1')).toEqual([200]);
    expect(await via('2001:db8::ffff:2')).toEqual([200]);
    expect(await via('2001:db8:0:0:3::')).toEqual([429]);
    expect(await via('2001:db8:0:1::1')).toEqual([200]);
  });

  it('cannot be escaped by forwarding headers that nobody trusts', async () => {
    verifies('http.rate.trust-proxy');
    const { url } = await serve(maps(application().rateLimit(hardlyEver, { burst: 2 })));
    const statuses = [];
    for (let i = 1; i < 4; i++) {
      const headers = {
        'x-forwarded-for': `203.0.113.${i}`,
        forwarded: `for=203.0.113.${i}`,
        'x-real-ip': `203.0.113.${i}`,
      };
      statuses.push((await knock(`${url}/maps`, { headers })).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('cannot be escaped by writing more hops than are trusted', async () => {
    const { url } = await serve(maps(application({ trustProxy: 1 }).rateLimit(hardlyEver, { burst: 2 })));
    const statuses = [];
    for (let i = 1; i < 4; i++)
      statuses.push(
        (await knock(`${url}/maps`, { headers: { 'x-forwarded-for': `198.51.100.${i}, 203.0.113.9` } }))
          .status,
      );
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('comes after authentication and before scopes', async () => {
    verifies('http.order.rate');
    const { url } = await serve(
      maps(application().rateLimit(hardlyEver, { burst: 1 }).apiKey('SHOP_KEY', 'shop')),
    );
    const headers = { 'x-api-key': secret };
    expect(await askTimes(2, `${url}/closed`, { headers: { 'x-api-key': 'wrong' } })).toEqual([401, 401]);
    expect(await askTimes(2, `${url}/closed`, { headers })).toEqual([403, 429]);
    expect(await askTimes(2, `${url}/closed`)).toEqual([401, 429]);
  });

  it('is shared by requests, upgrades, tools and the control plane; health is free', async () => {
    const app = application().rateLimit(hardlyEver, { burst: 4 });
    const { url } = await serve(maps(app));
    const listing = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    };
    expect(await askTimes(20, `${url}/_svc/health`)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(await askTimes(1, `${url}/maps`)).toEqual([200]);
    expect(await askTimes(1, `${url}/live`, { headers: upgrade })).toEqual([101]);
    expect(await askTimes(1, `${url}/_svc/routes`)).toEqual([200]);
    expect(await askTimes(1, `${url}/_svc/mcp`, listing)).toEqual([200]);
    for (const [path, options] of [
      ['/maps'],
      ['/live', { headers: upgrade }],
      ['/_svc/routes'],
      ['/_svc/mcp', listing],
    ] as const)
      expect(await askTimes(1, url + path, options)).toEqual([429]);
    expect(await askTimes(1, `${url}/_svc/health`)).toEqual([200]);
  });

  it('charges each member of an MCP batch', async () => {
    verifies('http.rate.batch-members');
    const { url } = await serve(maps(application().rateLimit(hardlyEver, { burst: 4 })));
    const body = JSON.stringify(
      Array.from({ length: 6 }, (_, id) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'get_maps' },
      })),
    );
    const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2025-03-26' };
    const { status, text } = await knock(`${url}/_svc/mcp`, { method: 'POST', headers, body });
    expect(status).toBe(200);
    const rows = JSON.parse(text) as readonly {
      result?: { isError?: boolean; content: { text: string }[] };
      error?: { message: string };
    }[];
    const good = rows.filter(({ result }) => result && result.isError !== true);
    // The request itself took one.
    expect(good.length).toBe(3);
    expect(rows).toHaveLength(6);
    expect((await knock(`${url}/maps`)).status).toBe(429);
  });
});

describe.each(doors)('the failure limit, %s', (_door, application) => {
  it('lets an address fail 200 times at once and 20 times a second by default', async () => {
    verifies('http.rate.failures');
    const { url } = await serve(maps(application()));
    const { answers, most } = await flood(`${url}/nowhere`, 400, { perSecond: 20, burst: 200 });
    expect(count(answers, 404)).toBeGreaterThanOrEqual(200);
    expect(count(answers, 404)).toBeLessThanOrEqual(most);
    expect(count(answers, 404) + count(answers, 429)).toBe(400);
    expect((await knock(`${url}/maps`)).status).toBe(200);
    expect((await knock(`${url}/nowhere`, { from: '127.0.0.2' })).status).toBe(404);
  });

  it('lets exactly the burst of failureLimit through: 401 and 404 alike', async () => {
    verifies('http.order.failure-bucket', 'http.rate.failures');
    const app = application({ failureLimit: { perSecond: 0.01, burst: 3 } }).apiKey('SHOP_KEY', 'shop');
    const { url } = await serve(maps(app));
    expect(await askTimes(1, `${url}/closed`)).toEqual([401]);
    expect(await askTimes(3, `${url}/nowhere`)).toEqual([404, 404, 429]);
    const refused = await knock(`${url}/closed`);
    expect(refused).toMatchObject({ status: 429, detail: 'too many requests from this address failed' });
    expect(isAbout(100, Number(refused.headers['retry-after']))).toBe(true);
    expect(await askTimes(2, `${url}/maps`)).toEqual([200, 200]);
    expect(await askTimes(1, `${url}/live`, { headers: upgrade })).toEqual([101]);
    expect(await askTimes(1, `${url}/live`, { headers: { ...upgrade, 'x-api-key': 'wrong' } })).toEqual([
      429,
    ]);
  });

  it('lets a right credential in, however many wrong ones came from its address', async () => {
    verifies('http.order.failure-bucket.right-credential');
    const app = application({ failureLimit: { perSecond: hardlyEver, burst: 3 } }).apiKey('SHOP_KEY', 'shop');
    const { url } = await serve(maps(app));
    const wrong = { 'x-api-key': 'wrong' };
    expect(await askTimes(4, `${url}/maps`, { headers: wrong })).toEqual([401, 401, 401, 429]);
    expect(await askTimes(2, `${url}/maps`, { headers: { 'x-api-key': secret } })).toEqual([200, 200]);
    expect(await askTimes(1, `${url}/maps`)).toEqual([200]);
  });
});
