import type { FailureLimitOptions } from '../limits/failure-limit.ts';
import type { RateLimitOptions } from '../limits/rate-limit.ts';
import type { CorsOptions } from './cors.ts';
import type { SecurityHeadersOptions } from './security-headers.ts';
import type { TrustProxy } from './trust-proxy.ts';

/** Policies of a door: limits, proxies, hosts, and the headers for browsers. */
export interface PolicyOptions {
  /** Protective headers of every answer, errors and upgrades included; default: on, with the defaults of each. */
  readonly securityHeaders?: SecurityHeadersOptions;
  /** Foreign origins that browsers may call from; default: none. */
  readonly cors?: CorsOptions;
  /** Limit of the requests of one caller, health excluded; default: no limit. */
  readonly rateLimit?: RateLimitOptions;
  /** Limit of the failures of one client address; it is always on. Default: 20 a second, 200 at once. */
  readonly failureLimit?: FailureLimitOptions;
  /** Proxies whose word on client address, scheme and host is believed; default: none. */
  readonly trustProxy?: TrustProxy;
  /**
   * URL at which browsers reach the application, `https://app.example.com`; its host and origin count as our own.
   * Default: none.
   */
  readonly publicUrl?: string;
  /** Names, without ports, that `Host` may have besides loopback names and the connected address; default: none. */
  readonly allowedHosts?: readonly string[];
  /**
   * Paths that the check of `Host` guards. `control`, the default: the control plane except health; `everywhere`: all
   * paths, which is necessary while no authentication is configured.
   */
  readonly hostGuard?: 'control' | 'everywhere';
}
