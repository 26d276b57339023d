import type { FailureLimitOptions } from '../limits/failure-limit.ts';
import type { RateLimitOptions } from '../limits/rate-limit.ts';
import type { CorsOptions } from './cors.ts';
import type { SecurityHeadersOptions } from './security-headers.ts';
import type { TrustProxy } from './trust-proxy.ts';

/** Whom a door lets in and how often, and what its answers say to browsers. */
export interface PolicyOptions {
  /** On every answer, errors and upgrades included; with these defaults. */
  readonly securityHeaders?: SecurityHeadersOptions;
  /** Foreign origins that browsers may call from; none. */
  readonly cors?: CorsOptions;
  /** How often a caller may come; as often as it likes. Health is free. */
  readonly rateLimit?: RateLimitOptions;
  /** How often an address may fail; always on. */
  readonly failureLimit?: FailureLimitOptions;
  /** Proxies that are believed about client address, scheme and host; none. */
  readonly trustProxy?: TrustProxy;
  /** Where browsers reach the application: `https://app.example.com`. Its host and its origin are our own. */
  readonly publicUrl?: string;
  /** Names, without ports, that a `Host` may have besides loopback names and the address that was connected to. */
  readonly allowedHosts?: readonly string[];
  /**
   * What the list of hosts guards: the control plane but health; or everything, as it must as long as nobody has to
   * authenticate. `control`.
   */
  readonly hostGuard?: 'control' | 'everywhere';
}
