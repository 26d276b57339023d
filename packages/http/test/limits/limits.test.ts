import { HTTPError } from '@waymark/contract';
import { type Call, jsonResponse, problemResponse } from '@waymark/contract/engine';
import type { AuditEvent } from '@waymark/contract/stores';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import type { DoorOptions } from '../../src/index.ts';
import { type Answered, ask, askForSocket } from '../ask.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { openDoor } from '../open-door.ts';

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
  { method: 'GET', path: '/own-sign-in', answer: () => problemResponse(401, 'sign in at the desk') },
  { method: 'GET', path: '/closed', scopes: ['closed'], answer: () => problemResponse(401, 'scopes') },
  {
    method: 'GET',
    path: '/closed-feed',
    scopes: ['closed'],
    accept: () => {},
    answer: () => problemResponse(401, 'scopes'),
  },
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
    // A slow answer finds the one that it took back in its bucket.
    expect(rate(first)).toEqual([
      expect.stringMatching(/^"default";(?:r=99;t=1|r=100;t=0)$/),
      '"default";q=100;w=2',
    ]);
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

  it('turns a 401 and a path that leads nowhere into 429, and nothing else', async () => {
    verifies('http.order.failure-bucket');
    const door = await open({ failureLimit: { perSecond, burst: 2 } });
    expect((await ask(door, '/nothing')).status).toBe(404);
    expect((await ask(door, '/page', wrong)).status).toBe(401);
    const answer = await ask(door, '/nothing');
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '1000']);
    expect(answer.detail).toBe('too many requests from this address failed');
    expect((await ask(door, '/page', wrong)).status).toBe(429);
    expect((await ask(door, '/nothing', wrong)).status).toBe(429);
    expect((await askForSocket(door, '/nothing')).status).toBe(429);
    expect((await askForSocket(door, '/feed', wrong)).status).toBe(429);
    expect((await ask(door, '/absent')).status).toBe(404);
    expect((await ask(door, 'DELETE /page')).status).toBe(405);
    expect((await ask(door, '/page')).status).toBe(200);
    expect((await ask(door, '/scoped', good)).status).toBe(403);
    expect((await askForSocket(door, '/feed', good)).status).toBe(101);
  });

  it('charges no answer of an engine, whoever asks', async () => {
    verifies('http.order.failure-bucket.engines');
    const door = await open({ failureLimit: { perSecond, burst: 2 } });
    const asked = async (path: string, headers?: Record<string, string>): Promise<Set<number>> => {
      const seen = new Set<number>();
      for (let i = 0; i < 5; i++) seen.add((await ask(door, path, headers)).status);
      return seen;
    };
    expect(await asked('/absent', good)).toEqual(new Set([404]));
    expect(await asked('/absent')).toEqual(new Set([404]));
    expect(await asked('/own-sign-in')).toEqual(new Set([401]));
    expect((await ask(door, '/nothing')).status).toBe(404);
  });

  it('charges a 401 for want of scopes, which comes before any engine', async () => {
    verifies('http.order.failure-bucket');
    const door = await open({ failureLimit: { perSecond, burst: 2 } });
    const closed = await Promise.all([1, 2, 3].map(() => ask(door, '/closed')));
    expect(closed.map(({ status }) => status).toSorted()).toEqual([401, 401, 429]);
    expect((await askForSocket(door, '/closed-feed')).status).toBe(429);
  });

  it('charges a known caller for no path that leads nowhere, an upgrade neither', async () => {
    verifies('http.order.failure-bucket.known');
    const door = await open({ failureLimit: { perSecond, burst: 1 } });
    for (let i = 0; i < 4; i++) {
      expect((await ask(door, '/nothing', good)).status).toBe(404);
      expect((await ask(door, '/_svc/nothing', good)).status).toBe(404);
      expect((await askForSocket(door, '/nothing?access_token=good')).status).toBe(404);
    }
    expect((await ask(door, '/nothing')).status).toBe(404);
    expect((await ask(door, '/nothing')).status).toBe(429);
    expect((await ask(door, '/nothing', good)).status).toBe(404);
  });

  it('knows whom somebody in front has found out, and takes a failure to find out for nobody', async () => {
    verifies('http.order.failure-bucket.known');
    const door = await open({
      failureLimit: { perSecond, burst: 1 },
      principalOf: async ({ headers }) => {
        if (headers.cookie === 'broken') throw new Error('the session store is down');
        return headers.cookie === undefined
          ? undefined
          : { id: 'bob', rootId: 'bob', authenticated: true, scopes: [] };
      },
    });
    for (let i = 0; i < 3; i++) expect((await ask(door, '/nothing', { cookie: 'bob' })).status).toBe(404);
    expect((await ask(door, '/nothing', { cookie: 'broken' })).status).toBe(404);
    expect((await ask(door, '/nothing', { cookie: 'broken' })).status).toBe(429);
  });

  it('charges the 401 that a sign-in in front throws', async () => {
    const door = await open({
      failureLimit: { perSecond, burst: 2 },
      principalOf: () => Promise.reject(new HTTPError(401, 'the session has ended')),
    });
    expect((await ask(door, '/page')).status).toBe(401);
    expect((await askForSocket(door, '/feed')).status).toBe(401);
    expect((await ask(door, '/page')).status).toBe(429);
    expect((await askForSocket(door, '/feed')).status).toBe(429);
  });

  it('refuses no right credential for the wrong ones of its address', async () => {
    verifies('http.order.failure-bucket.right-credential');
    const refused: AuditEvent[] = [];
    const door = await open({
      failureLimit: { perSecond, burst: 2 },
      controlRule: ({ principal, path }) =>
        principal.authenticated || path === '/health' ? undefined : new HTTPError(401, 'sign in first'),
      emit: (event) => void refused.push(event),
    });
    for (let i = 0; i < 240; i++) await ask(door, i % 2 === 0 ? '/page' : '/_svc/usage', wrong);
    expect((await ask(door, '/page', wrong)).status).toBe(429);
    expect((await ask(door, '/page', good)).status).toBe(200);
    expect((await ask(door, '/_svc/usage', good)).status).toBe(200);
    expect((await askForSocket(door, '/feed?access_token=good')).status).toBe(101);
    expect((await ask(door, '/page')).status).toBe(200);
    expect((await ask(door, '/_svc/health', wrong)).status).toBe(200);
    // As many as were answered 401: what is said of them is bounded as they are.
    expect(refused.map(({ kind }) => kind)).toEqual(['auth_refused', 'auth_refused']);
  });

  it('counts addresses apart', async () => {
    const door = await open({ failureLimit: { perSecond, burst: 1 }, trustProxy: 1 });
    const statusFrom = async (address: string) =>
      (await ask(door, '/nothing', { 'x-forwarded-for': address })).status;
    expect(await statusFrom('192.0.2.1')).toBe(404);
    expect(await statusFrom('192.0.2.1')).toBe(429);
    expect(await statusFrom('192.0.2.2')).toBe(404);
  });

  it('charges nothing that a fallback answers', async () => {
    const door = await openDoor(routes, {
      failureLimit: { perSecond, burst: 1 },
      fallback: (_req, res) => void res.writeHead(404).end('mine'),
    });
    for (let i = 0; i < 3; i++) expect((await ask(door, '/else')).body).toBe('mine');
    expect((await ask(door, '/page', wrong)).status).toBe(401);
    expect((await ask(door, '/else')).status).toBe(404);
  });
});
