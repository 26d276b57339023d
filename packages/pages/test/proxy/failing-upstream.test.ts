import { HTTPError } from '@waymark/contract';
import type { Outbound, OutboundRequest } from '@waymark/contract/http';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { createProxies, proxy, upstream } from '../../src/index.ts';
import { type Asked, answering, forward } from './forward.ts';

const plain = upstream('billing', 'http://billing.internal/v1');

/** What health says after one call. */
async function toldAfter(outbound: Outbound, asked: Partial<Asked> = {}, declared = plain): Promise<unknown> {
  const plugin = createProxies([declared, proxy('GET', '/a', 'billing')]);
  await forward(plugin, outbound, { route: 'get_a', ...asked }, { TOKEN: 't0ken' }).catch(() => {});
  return plugin.troubles?.().map(({ code, message }) => `${code}: ${message}`);
}
const failing = (fault: string): readonly string[] => [
  `upstream-failing: Upstreams of proxies fail: "billing" (${fault}, for 0 s).`,
];
const rejecting = (error: Error): Outbound => ({ request: () => Promise.reject(error) });

describe('an upstream', () => {
  it.each([
    ['503', answering({ status: 503 }).outbound, 'answers 503'],
    ['500', answering({ status: 500 }).outbound, 'answers 500'],
    [
      'a refusal',
      rejecting(new HTTPError(502, 'no', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })),
      'refuses connections',
    ],
    ['silence', rejecting(new HTTPError(504, 'late')), 'takes too long to answer'],
    ['an address', rejecting(new HTTPError(403, 'no')), 'has an address that may not be reached'],
  ])('fails with %s, and is named without where it is', async (_, outbound, fault) => {
    verifies('health.outside', 'health.outside.public');
    expect(await toldAfter(outbound)).toEqual(failing(fault));
  });

  it.each([200, 204, 304, 400, 401, 403, 404, 409, 422, 429, 499])(
    'that answers %i to a caller does not fail',
    async (status) => {
      verifies('health.outside.fault');
      expect(await toldAfter(answering({ status }).outbound)).toEqual([]);
    },
  );

  it('fails where it refuses our own token, and not where it keeps a caller out', async () => {
    verifies('health.outside.fault');
    const own = upstream('billing', 'http://billing.internal/v1', { bearerEnv: 'TOKEN' });
    expect(await toldAfter(answering({ status: 401 }).outbound, {}, own)).toEqual(
      failing('refuses its token'),
    );
    expect(await toldAfter(answering({ status: 403 }).outbound, {}, own)).toEqual([]);
  });

  it('does not fail where its caller has gone, or sent too much', async () => {
    verifies('health.outside.fault');
    const signal = AbortSignal.abort(new HTTPError(504, 'late'));
    expect(await toldAfter(rejecting(new HTTPError(504, 'late')), { signal })).toEqual([]);
    expect(await toldAfter(rejecting(new HTTPError(413, 'too large')))).toEqual([]);
  });

  it('fails where its answer breaks off on the way to the caller', async () => {
    verifies('health.outside');
    const { outbound } = answering({ text: 'x' });
    const breaking: Outbound = {
      async request(request: OutboundRequest) {
        const response = await outbound.request(request);
        setImmediate(() => request.onBreak?.(new HTTPError(504, 'late')));
        return response;
      },
    };
    const plugin = createProxies([plain, proxy('GET', '/a', 'billing')]);
    await forward(plugin, breaking, { route: 'get_a' });
    expect(plugin.troubles?.()).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(plugin.troubles?.()).toMatchObject([{ code: 'upstream-failing' }]);
  });
});
