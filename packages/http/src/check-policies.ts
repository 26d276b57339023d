import { isIP } from 'node:net';
import type { Problem } from '@waymark/contract';
import type { CorsOptions } from './cors.ts';
import { isHeaderValue } from './header-block.ts';
import type { PolicyOptions } from './policies.ts';
import type { SecurityHeadersOptions } from './security-headers.ts';
import type { BucketSize } from './token-bucket.ts';
import { trustProxyFault } from './trust-proxy.ts';

/** Everything wrong with the policies of a door; `createDoor` refuses them with the same words. */
export function checkPolicies(options: PolicyOptions): readonly Problem[] {
  const {
    cors,
    rateLimit,
    failureLimit,
    securityHeaders,
    trustProxy,
    publicUrl,
    allowedHosts = [],
  } = options;
  const trustFault = trustProxy === undefined ? undefined : trustProxyFault(trustProxy);
  return [
    ...(cors ? checkCors(cors) : []),
    ...(rateLimit ? checkBucket('rateLimit', rateLimit) : []),
    ...(failureLimit ? checkBucket('failureLimit', failureLimit) : []),
    ...(securityHeaders ? checkSecurityHeaders(securityHeaders) : []),
    ...(trustFault === undefined ? [] : [{ declaration: 'trustProxy', rule: trustFault }]),
    ...(publicUrl === undefined ? [] : checkPublicUrl(publicUrl)),
    ...allowedHosts.flatMap(checkHost),
  ];
}

/** Everything wrong with a `cors` declaration. */
function checkCors(options: CorsOptions): readonly Problem[] {
  const { origins, credentials = false, methods = [], headers = [], expose = [], maxAge = 600 } = options;
  const problem = (rule: string, fix?: string): Problem => ({
    declaration: 'cors',
    rule,
    ...(fix !== undefined && { fix }),
  });
  const names = [...methods, ...headers, ...expose].filter((name) => !isToken(name));
  return [
    ...(origins.length === 0 ? [problem('no origin is listed')] : []),
    ...(credentials && origins.includes('*')
      ? [problem('the origin "*" cannot be combined with credentials', 'list the origins')]
      : []),
    ...origins.filter((origin) => !isOrigin(origin)).map((origin) => problem(...notAnOrigin(origin))),
    ...names.map((name) => problem(`${JSON.stringify(name)} is not the name of a method or header`)),
    ...(isCount(maxAge) ? [] : [problem('maxAge is a whole number of seconds')]),
  ];
}

function checkBucket(
  declaration: string,
  { perSecond = 1, burst = 1 }: Partial<BucketSize>,
): readonly Problem[] {
  return [
    ...(perSecond > 0 && Number.isFinite(perSecond)
      ? []
      : [{ declaration, rule: 'perSecond is greater than 0' }]),
    ...(burst >= 1 && Number.isFinite(burst) ? [] : [{ declaration, rule: 'burst is 1 or more' }]),
  ];
}

function checkSecurityHeaders(options: SecurityHeadersOptions): readonly Problem[] {
  const { frameOptions = 'DENY', referrerPolicy = 'no-referrer', contentSecurityPolicy = 'x' } = options;
  const { hstsMaxAge = 0 } = options;
  const rules = [
    frameOptions === 'DENY' || frameOptions === 'SAMEORIGIN' ? '' : 'frameOptions is DENY or SAMEORIGIN',
    isHeaderValue(referrerPolicy) ? '' : 'referrerPolicy cannot be sent as a header',
    isHeaderValue(contentSecurityPolicy) ? '' : 'contentSecurityPolicy cannot be sent as a header',
    isCount(hstsMaxAge) ? '' : 'hstsMaxAge is a whole number of seconds',
  ];
  return rules.filter((rule) => rule !== '').map((rule) => ({ declaration: 'securityHeaders', rule }));
}

function checkPublicUrl(publicUrl: string): readonly Problem[] {
  const protocol = parseUrl(publicUrl)?.protocol;
  if (protocol === 'https:' || protocol === 'http:') return [];
  return [{ declaration: 'publicUrl', rule: `${JSON.stringify(publicUrl)} is not an http or https URL` }];
}

function checkHost(host: string): readonly Problem[] {
  if (
    isIP(host) !== 0 ||
    /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i.test(host)
  )
    return [];
  return [
    {
      declaration: 'allowedHosts',
      rule: `${JSON.stringify(host)} is not a host name`,
      fix: 'write the name alone: no scheme, no port, no wildcard',
    },
  ];
}

function isOrigin(text: string): boolean {
  return text === '*' || text === 'null' || parseUrl(text)?.origin === text;
}

function notAnOrigin(text: string): [rule: string, fix?: string] {
  const meant = parseUrl(text)?.origin ?? 'null';
  const rule = `${JSON.stringify(text)} is not an origin`;
  return meant === 'null' ? [rule] : [rule, `write ${JSON.stringify(meant)}`];
}

function isToken(name: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i.test(name);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
