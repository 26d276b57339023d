import { isIP } from 'node:net';
import type { Problem } from '@waymark/contract';
import { checkOptions, type Fault, type RuleBook, toProblems } from '@waymark/contract/declaring';
import type { BucketSize } from '../limits/token-bucket.ts';
import { isHeaderValue } from '../response/header-block.ts';
import type { CorsOptions } from './cors.ts';
import type { PolicyOptions } from './policy-options.ts';
import type { SecurityHeadersOptions } from './security-headers.ts';
import { trustProxyFault } from './trust-proxy.ts';

/** Rules of the policies of a door, by the `code` that a problem carries. */
export const policyRules = {
  'cors-origin': 'An allowed origin is a scheme and a host as browsers send them, "*", or "null".',
  'cors-no-origin': 'A declaration of cors lists an origin.',
  'cors-star-credentials':
    'Credentials are allowed to origins that are listed, and not to "null", which is anybody.',
  'header-name': 'Methods and headers have names that can be sent.',
  'header-value': 'What is sent as a header fits into one.',
  'policy-range': 'A limit lets somebody through, and not everybody; seconds are whole.',
  'trust-proxy': 'The proxies that are believed are counted, or listed by address.',
  'public-url': 'The public URL is one that browsers can go to.',
  'host-name': 'An allowed host is a name or an address alone.',
} as const satisfies RuleBook;

type PolicyFault = Fault<keyof typeof policyRules>;

/** Lists every problem of the policies of a door; `createDoor` throws the same ones. */
export function checkPolicies(options: PolicyOptions): readonly Problem[] {
  const { cors, rateLimit, failureLimit, securityHeaders, trustProxy, publicUrl } = options;
  const { allowedHosts = [] } = options;
  const found: Readonly<Record<string, readonly Fault[]>> = {
    cors: cors ? checkCors(cors) : [],
    rateLimit: rateLimit ? checkBucket(rateLimit) : [],
    failureLimit: failureLimit ? checkBucket(failureLimit) : [],
    securityHeaders: securityHeaders ? checkSecurityHeaders(securityHeaders) : [],
    trustProxy: trustProxy === undefined ? [] : checkTrust(trustProxy),
    publicUrl: publicUrl === undefined ? [] : checkPublicUrl(publicUrl),
    allowedHosts: allowedHosts.flatMap(checkHost),
  };
  return Object.entries(found).flatMap(([declaration, faults]) => toProblems(declaration, undefined, faults));
}

/** Everything wrong with a `cors` declaration. */
function checkCors(options: CorsOptions): readonly PolicyFault[] {
  const { origins, credentials = false, methods = [], headers = [], expose = [], maxAge = 600 } = options;
  return [
    ...(origins.length === 0 ? [noOrigin] : []),
    ...(credentials ? origins.filter(isAnybody).map(withCredentials) : []),
    ...origins.flatMap(checkOrigin),
    ...[...methods, ...headers, ...expose].flatMap(checkHeaderName),
    ...(isCount(maxAge) ? [] : [range('maxAge is not a whole number of seconds', 'write seconds: 600')]),
  ];
}

const noOrigin: PolicyFault = {
  code: 'cors-no-origin',
  rule: 'no origin is listed',
  fix: "list the pages that may call: ['https://app.example.com']",
};

/** A page of anybody can put itself into a sandboxed frame, whose origin is `null`. */
function isAnybody(origin: string): boolean {
  return origin === '*' || origin === 'null';
}

function withCredentials(origin: string): PolicyFault {
  const rule = `the origin "${origin}" cannot be combined with credentials`;
  return { code: 'cors-star-credentials', rule, fix: 'list the origins' };
}

function checkOrigin(text: string): readonly PolicyFault[] {
  const rule = `${JSON.stringify(text)} is not an origin`;
  // Browsers send one name, never a pattern, and origins are compared letter by letter.
  if (text !== '*' && text.includes('*'))
    return [
      {
        code: 'cors-origin',
        rule,
        fix: 'list each origin by its whole name; only "*" alone stands for others',
      },
    ];
  if (text === '*' || text === 'null' || parseUrl(text)?.origin === text) return [];
  const meant = parseUrl(text)?.origin ?? parseUrl(`https://${text}`)?.origin ?? 'null';
  const fix =
    meant === 'null' ? 'write scheme and host: "https://app.example.com"' : `write ${JSON.stringify(meant)}`;
  return [{ code: 'cors-origin', rule, fix }];
}

function checkHeaderName(name: string): readonly PolicyFault[] {
  if (isToken(name)) return [];
  const words = name.split(/[\s,;]+/).filter(isToken);
  return [
    {
      code: 'header-name',
      rule: `${JSON.stringify(name)} is not the name of a method or header`,
      fix: words.length > 1 ? `write ${JSON.stringify(words)}` : 'write the name alone',
    },
  ];
}

function checkBucket({ perSecond = 1, burst = 1 }: Partial<BucketSize>): readonly PolicyFault[] {
  return [
    ...(perSecond > 0 && Number.isFinite(perSecond)
      ? []
      : [range('perSecond is not a number above 0', 'write how many a second: 50')]),
    ...(burst >= 1 && Number.isFinite(burst)
      ? []
      : [range('burst is not a number from 1', 'write how many at once: 100')]),
  ];
}

function checkSecurityHeaders(options: SecurityHeadersOptions): readonly Fault[] {
  const { frameOptions = 'DENY', referrerPolicy = 'no-referrer', contentSecurityPolicy = 'pages' } = options;
  const { hstsMaxAge = 0 } = options;
  return [
    ...checkOptions({ frameOptions }, { frameOptions: ['DENY', 'SAMEORIGIN'] }),
    ...checkHeaderValue('referrerPolicy', referrerPolicy),
    ...checkHeaderValue('contentSecurityPolicy', contentSecurityPolicy),
    ...(isPolicy(contentSecurityPolicy) ? [] : [noPolicy(contentSecurityPolicy)]),
    ...(isCount(hstsMaxAge)
      ? []
      : [range('hstsMaxAge is not a whole number of seconds', 'write seconds: 31536000')]),
  ];
}

function checkHeaderValue(name: string, value: string): readonly PolicyFault[] {
  if (isHeaderValue(value)) return [];
  const fix = 'write one line of plain text, or leave it out';
  return [{ code: 'header-value', rule: `${name} cannot be sent as a header`, fix }];
}

/** Browsers pass over a directive that they do not know: a slip in `pages` would be no policy at all. */
function isPolicy(text: string): boolean {
  return text === 'pages' || text === 'sandbox' || !/^\s*[a-z]+\s*$/i.test(text);
}

function noPolicy(text: string): PolicyFault {
  return {
    code: 'header-value',
    rule: `contentSecurityPolicy ${JSON.stringify(text)} is no policy`,
    fix: "write 'pages', or directives: \"default-src 'self'\"",
  };
}

function checkTrust(setting: unknown): readonly PolicyFault[] {
  const rule = trustProxyFault(setting);
  if (rule === undefined) return [];
  return [{ code: 'trust-proxy', rule, fix: "write 1 for one proxy in front, or ['10.0.0.0/8']" }];
}

function checkPublicUrl(publicUrl: string): readonly PolicyFault[] {
  const url = parseUrl(publicUrl);
  const protocol = url?.protocol;
  if (url && (protocol === 'https:' || protocol === 'http:'))
    return isAddress(url) ? [] : [moreThanPath(url)];
  const rule = `${JSON.stringify(publicUrl)} is not an http or https URL`;
  const meant = protocol === undefined ? parseUrl(`https://${publicUrl}`)?.origin : undefined;
  return [{ code: 'public-url', rule, fix: `write ${JSON.stringify(meant ?? 'https://app.example.com')}` }];
}

/** Addresses below it are made by writing paths behind it. */
function isAddress({ href, origin, pathname }: URL): boolean {
  return href === origin + pathname;
}

/** A password is not repeated. */
function moreThanPath({ host, origin, pathname }: URL): PolicyFault {
  const rule = `the URL of ${host} has more than an origin and a path`;
  return { code: 'public-url', rule, fix: `write ${JSON.stringify(origin + pathname)}` };
}

function checkHost(host: string): readonly PolicyFault[] {
  if (
    isIP(host) !== 0 ||
    /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i.test(host)
  )
    return [];
  const fix = 'write the name alone: no scheme, no port, no wildcard';
  return [{ code: 'host-name', rule: `${JSON.stringify(host)} is not a host name`, fix }];
}

function range(rule: string, fix: string): PolicyFault {
  return { code: 'policy-range', rule, fix };
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
