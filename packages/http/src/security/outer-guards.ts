import { HTTPError } from '@waymark/contract';
import { RouteResponse } from '@waymark/contract/engine';
import type { RouteCors } from '@waymark/contract/route';
import type { Visit } from '../door/visit.ts';
import { allowsOrigin, type CorsOptions, toPreflightHeaders } from './cors.ts';
import { isCrossOrigin, isOwnPage, isSafeMethod, type OwnOrigins } from './cross-origin.ts';
import { createHostRule } from './host-guard.ts';

/** What the guards are made from; see `PolicyOptions`. */
export interface OuterGuardOptions {
  readonly cors?: CorsOptions;
  readonly publicUrl?: string;
  readonly allowedHosts?: readonly string[];
  readonly hostGuard?: 'control' | 'everywhere';
}

/** What is asked of a visitor before anything is looked up for it: its Host, its origin, its preflight (decision 2.7). */
export class OuterGuards {
  readonly #cors: CorsOptions | undefined;
  readonly #publicOrigin: string | undefined;
  readonly #isOurHost: ReturnType<typeof createHostRule>;
  readonly #everywhere: boolean;
  readonly #isListed = (origin: string): boolean => !!this.#cors && allowsOrigin(this.#cors, origin);
  readonly #isPublic = (origin: string): boolean => origin === this.#publicOrigin;

  constructor({ cors, publicUrl, allowedHosts = [], hostGuard = 'control' }: OuterGuardOptions) {
    this.#cors = cors;
    const own = publicUrl === undefined ? undefined : new URL(publicUrl);
    this.#publicOrigin = own?.origin;
    this.#isOurHost = createHostRule(own ? [...allowedHosts, own.host] : allowedHosts);
    this.#everywhere = hostGuard === 'everywhere';
  }

  /** @param control the path below the control prefix, if it is there */
  refusal(visit: Visit, control: string | undefined, upgrade: boolean): HTTPError | undefined {
    return this.#hostRefusal(visit, control) ?? this.#originRefusal(visit, upgrade);
  }

  /** Whether a cookie counts. */
  isOwn(visit: Visit, upgrade: boolean): boolean {
    return isOwnPage(visit, this.#own(visit), !upgrade && isSafeMethod(visit.method));
  }

  /** Whether a browser marks it as another origin's, though that be listed in `cors`. */
  isForeign(visit: Visit): boolean {
    return isCrossOrigin(visit, { ...this.#own(visit), isListed: () => false });
  }

  /**
   * The answer to a preflight, where `cors` is configured. An OPTIONS request that is none goes to the table.
   *
   * @param corsOf what the route that is meant adds to it, by the method that is asked about
   */
  preflight(
    visit: Visit,
    corsOf: (method: string) => RouteCors | undefined,
  ): RouteResponse | HTTPError | undefined {
    if (visit.method !== 'OPTIONS' || !this.#cors) return undefined;
    const { origin, headers } = visit;
    const method = headers['access-control-request-method'];
    if (origin === undefined || method === undefined) return undefined;
    if (!this.#isListed(origin)) return new HTTPError(403, `the origin ${origin} is not in \`cors\``);
    const asked = headers['access-control-request-headers'];
    const allowed = toPreflightHeaders(this.#cors, corsOf(method)?.headers, asked);
    return new RouteResponse(204, { kind: 'empty' }, allowed);
  }

  #hostRefusal(visit: Visit, control: string | undefined): HTTPError | undefined {
    const guarded = this.#everywhere || (control !== undefined && control !== '/health');
    if (!guarded) return undefined;
    // Both, where a proxy is believed: a page on a rebound name may write `X-Forwarded-Host` itself, but not `Host`.
    const host = visit.headers['host'];
    const { localAddress } = visit.req.socket;
    const shown = visit.client.host;
    const foreign = !this.#isOurHost(host, localAddress)
      ? host
      : !this.#isOurHost(shown, localAddress)
        ? shown
        : undefined;
    if (foreign === undefined) return undefined;
    return new HTTPError(
      403,
      `the host ${foreign} is not allowed here: name it in \`allowedHosts\` or as \`publicUrl\``,
    );
  }

  #originRefusal(visit: Visit, upgrade: boolean): HTTPError | undefined {
    if (!upgrade && isSafeMethod(visit.method)) return undefined;
    const { origin, site } = visit;
    if (origin === undefined && site === undefined) return undefined;
    if (!isCrossOrigin({ origin, site }, this.#own(visit))) return undefined;
    const from = origin === undefined ? 'another site' : `the origin ${origin}`;
    return new HTTPError(403, `requests from pages of ${from} are not allowed: list it in \`cors\``);
  }

  #own({ client: { https, host } }: Visit): OwnOrigins {
    return {
      here: `${https ? 'https' : 'http'}://${host?.toLowerCase()}`,
      isListed: this.#isListed,
      isPublic: this.#isPublic,
    };
  }
}
