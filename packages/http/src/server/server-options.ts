import type { ServerOptions } from 'node:http';
import { type ListenedRequest, leaveOf } from './listened-request.ts';

export const headersTimeoutMs = 10_000;
/** Longer than the idle timeout of the usual proxies, so that it is they who close first. */
export const keepAliveTimeoutMs = 75_000;
export const maxHeaderBytes = 16_384;
/** Node's own 30 seconds would make every cut late. */
const checkTimeoutsEveryMs = 2000;

/** How a server treats connections, most of all slow ones. @param requestTimeoutMs for a whole request to arrive; 0 is for ever */
export function serverOptions(requestTimeoutMs: number): ServerOptions {
  return {
    // 7 to 9 % on requests without a body (measured).
    optimizeEmptyRequests: true,
    requestTimeout: requestTimeoutMs,
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs || headersTimeoutMs),
    keepAliveTimeout: keepAliveTimeoutMs,
    maxHeaderSize: maxHeaderBytes,
    connectionsCheckingInterval: checkTimeoutsEveryMs,
    // The door refuses those without or with two, in its own words.
    requireHostHeader: false,
    // Other protocols are offered by clients that can do without, `h2c` by curl.
    shouldUpgradeCallback: (req) =>
      req.headers.upgrade?.toLowerCase() === 'websocket' || leaveOf(req as ListenedRequest) !== undefined,
  };
}
