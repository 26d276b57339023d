import { type Call, HTTPError, jsonResponse, problemResponse } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import type { DoorOptions } from '../src/index.ts';
import { type Answered, ask, askForSocket } from './ask.ts';
import { deferred } from './deferred.ts';
import type { FakeRoute } from './fake-dispatcher.ts';
import { openDoor } from './open-door.ts';

/** So slow that nothing comes back while a test runs. */
const perSecond = 0.001;
const good = { 'x-api-key': 'good' };
const wrong = { 'x-api-key': 'wrong' };

const charging = (cost: number) => async (call: Call) => {
  try {
    await call.charge?.(cost);
    return jsonResponse(call.charge ? 'charged' : 'free');
  } catch (error) {
    const { status, message, headers } = error as HTTPError;
    return problemResponse(status, message, {}, headers);
  }
};

const routes: readonly FakeRoute[] = [
  { method: 'GET', path: '/page' },
  { method: 'GET', path: '/scoped', answer: () => problemResponse(403, 'missing scope') },
  { method: 'GET', path: '/absent', answer: () => problemResponse(404, 'no such thing') },
  { method: 'GET', path: '/three', answer: charging(3) },
  { method: 'GET', path: '/feed', accept: () => {} },
  { method: 'GET', path: '/_svc/health' },
  { method: 'GET', path: '/_svc/usage' },
];

const open = (options: Partial<DoorOptions>) =>
  openDoor(routes, { controlRule: () => undefined, ...options });

const rate = ({ headers }: Answered) => [headers['ratelimit'], headers['ratelimit-policy']];

describe('the rate limit', () => {
  it('is not there unless it is asked for', async () => {
    const door = await open({});
    for (let i = 0; i < 150; i++) expect((await fetch(`${door.url}/page`)).status).toBe(200);
    const answer = await ask(door, '/three');
    expect(answer.body).toBe('"free"');
    expect(rate(answer)).toEqual([undefined, undefined]);
  });

  it('lets 100 through at once by default, and says how many are left', async () => {
    verifies('limit.rate');
    const door = await open({ rateLimit: {} });
    const first = await ask(door, '/page', good);
    expect(rate(first)).toEqual(['"default";r=99;t=1', '"default";q=100;w=2']);
    const startedMs = performance.now();
    let passed = 1;
    while ((await fetch(`${door.url}/page`, { headers: good })).status === 200) passed++;
    const filled = ((performance.now() - startedMs) / 1000) * 50;
    expect(passed).toBeGreaterThanOrEqual(100);
    // One for the token the loop may have found half full, one for the clock between two readings.
    expect(passed).toBeLessThanOrEqual(100 + filled + 2);
  });

  it('is 429 when it is used up, with the seconds to wait, and `RateLimit` says why', async () => {
    verifies('http.status.429', 'http.rate.headers');
    const door = await open({ rateLimit: { perSecond, burst: 2 } });
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await ask(door, '/page', good));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers.map(({ headers }) => headers['ratelimit'])).toEqual([
      '"default";r=1;t=1000',
      '"default";r=0;t=2000',
      '"default";r=0;t=2000',
    ]);
    const [, , refused] = answers;
    expect(refused?.headers['retry-after']).toBe('1000');
    expect(refused?.headers['ratelimit-policy']).toBe('"default";q=2;w=2000');
    expect(refused?.detail).toBe('the rate limit is exceeded');
    expect(door.dispatcher.calls).toHaveLength(2);
  });

  it('comes after authentication and before scopes', async () => {
    verifies('http.order.rate');
    const door = await open({ rateLimit: { perSecond, burst: 1 } });
    expect((await ask(door, '/scoped', wrong)).status).toBe(401);
    expect((await ask(door, '/scoped', good)).status).toBe(403);
    expect((await ask(door, '/scoped', good)).status).toBe(429);
    expect((await ask(door, '/scoped', wrong)).status).toBe(401);
    expect((await ask(door, '/nothing', good)).status).toBe(404);
  });

  it('counts a principal wherever it comes from, and others by address', async () => {
    verifies('http.rate.by-principal', 'http.rate.by-address', 'http.rate.trust-proxy');
    const via = (address: string) => ({ 'x-forwarded-for': address });
    const door = await open({ rateLimit: { perSecond, burst: 1 }, trustProxy: 1 });
    const statuses = async (...askers: Record<string, string>[]) => {
      const seen: number[] = [];
      for (const headers of askers) seen.push((await ask(door, '/page', headers)).status);
      return seen;
    };
    expect(await statuses({ ...good, ...via('192.0.2.1') }, { ...good, ...via('192.0.2.2') })).toEqual([
      200, 429,
    ]);
    expect(await statuses(via('192.0.2.1'), via('192.0.2.1'), via('192.0.2.2'))).toEqual([200, 429, 200]);
    expect(
      await statuses(via('2001:db8:0:1::1'), via('2001:db8:0:1:ffff::2'), via('2001:db8:0:2::1')),
    ).toEqual([200, 429, 200]);
    const distrusting = await open({ rateLimit: { perSecond, burst: 1 } });
    expect((await ask(distrusting, '/page', via('192.0.2.1'))).status).toBe(200);
    expect((await ask(distrusting, '/page', via('192.0.2.2'))).status).toBe(429);
  });

  it('counts upgrades and the control plane, and never health', async () => {
    const door = await open({ rateLimit: { perSecond, burst: 2 } });
    const opened = await askForSocket(door, '/feed', good);
    expect([opened.status, opened.headers['ratelimit']]).toEqual([101, '"default";r=1;t=1000']);
    expect((await ask(door, '/_svc/usage', good)).status).toBe(200);
    const refused = await askForSocket(door, '/feed', good);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1000']);
    expect((await ask(door, '/_svc/usage', good)).status).toBe(429);
    for (let i = 0; i < 5; i++) expect((await ask(door, '/_svc/health', good)).status).toBe(200);
  });

  it('is what a call may charge more to: under, at, over what is left', async () => {
    const door = await open({ rateLimit: { perSecond, burst: 8 } });
    const left = ({ headers, status }: Answered) => [status, headers['ratelimit']];
    expect(left(await ask(door, '/three', good))).toEqual([200, '"default";r=4;t=4000']);
    expect(left(await ask(door, '/three', good))).toEqual([200, '"default";r=0;t=8000']);
    const fresh = await open({ rateLimit: { perSecond, burst: 3 } });
    const over = await ask(fresh, '/three', good);
    expect(left(over)).toEqual([429, '"default";r=2;t=1000']);
    expect(over.headers['retry-after']).toBe('1000');
  });
});

describe('the limit on failures', () => {
  it('is 200 at once by default', async () => {
    verifies('http.rate.failures');
    const door = await open({});
    let failed = 0;
    const startedMs = performance.now();
    while ((await fetch(`${door.url}/nothing`)).status === 404) failed++;
    const filled = ((performance.now() - startedMs) / 1000) * 20;
    expect(failed).toBeGreaterThanOrEqual(200);
    expect(failed).toBeLessThanOrEqual(200 + filled + 2);
  });

  it('turns answers 401 and 404 into 429, and lets everything else be answered', async () => {
    verifies('http.order.failure-bucket');
    const door = await open({ failureLimit: { perSecond, burst: 2 } });
    expect((await ask(door, '/nothing')).status).toBe(404);
    expect((await ask(door, '/absent')).status).toBe(404);
    for (const path of ['/nothing', '/absent']) {
      const answer = await ask(door, path);
      expect([answer.status, answer.headers['retry-after']]).toEqual([429, '1000']);
      expect(answer.detail).toBe('too many requests from this address failed');
    }
    expect((await ask(door, '/page', wrong)).status).toBe(429);
    expect((await askForSocket(door, '/nothing')).status).toBe(429);
    expect((await ask(door, '/page')).status).toBe(200);
    expect((await ask(door, '/page', good)).status).toBe(200);
    expect((await ask(door, '/scoped', good)).status).toBe(403);
    expect((await askForSocket(door, '/feed', good)).status).toBe(101);
  });

  it('refuses credentials unseen after as many wrong ones: the right one does not stand out', async () => {
    let asked = 0;
    const door = await open({
      failureLimit: { perSecond, burst: 2 },
      authenticate: ({ headers, accessToken }) => {
        const key = headers['x-api-key'] ?? accessToken;
        if (key !== undefined) asked++;
        return key === 'wrong'
          ? { ok: false, error: new HTTPError(401, 'the credential is not valid') }
          : { ok: true, principal: { id: 'alice', rootId: 'alice', authenticated: true, scopes: [] } };
      },
    });
    expect((await ask(door, '/page', wrong)).status).toBe(401);
    expect((await askForSocket(door, '/feed?access_token=wrong')).status).toBe(401);
    for (const headers of [wrong, good]) {
      const answer = await ask(door, '/page', headers);
      expect([answer.status, answer.headers['retry-after']]).toEqual([429, '1000']);
      expect(answer.detail).toBe('too many wrong credentials came from this address');
    }
    expect((await ask(door, '/_svc/usage', good)).status).toBe(429);
    expect((await askForSocket(door, '/feed?access_token=good')).status).toBe(429);
    expect(asked).toBe(2);
    expect((await ask(door, '/page')).status).toBe(200);
    expect((await ask(door, '/_svc/health', wrong)).status).toBe(200);
  });

  it('counts addresses apart', async () => {
    const door = await open({ failureLimit: { perSecond, burst: 1 }, trustProxy: 1 });
    const statusFrom = async (address: string) =>
      (await ask(door, '/nothing', { 'x-forwarded-for': address })).status;
    expect(await statusFrom('192.0.2.1')).toBe(404);
    expect(await statusFrom('192.0.2.1')).toBe(429);
    expect(await statusFrom('192.0.2.2')).toBe(404);
  });

  it('counts what a fallback answers, which it cannot change', async () => {
    const door = await openDoor(routes, {
      failureLimit: { perSecond, burst: 1 },
      fallback: (_req, res) => void res.writeHead(404).end('mine'),
    });
    expect((await ask(door, '/else')).body).toBe('mine');
    await door.logged(({ fields }) => fields['path'] === '/else');
    expect((await ask(door, '/absent')).status).toBe(429);
    expect((await ask(door, '/else')).status).toBe(404);
  });

  it('cancels a stream that it replaces', async () => {
    const cancelled = deferred<boolean>();
    const door = await openDoor(
      [
        {
          method: 'GET',
          path: '/stream',
          answer: () => ({
            status: 404,
            headers: {},
            body: {
              kind: 'stream',
              stream: new ReadableStream({ cancel: () => cancelled.resolve(true) }),
              mediaType: 'a/b',
            },
          }),
        },
      ],
      { failureLimit: { perSecond, burst: 1 } },
    );
    await ask(door, '/nothing');
    expect((await ask(door, '/stream')).status).toBe(429);
    expect(await cancelled.promise).toBe(true);
  });
});
