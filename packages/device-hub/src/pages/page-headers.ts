import type { PageName } from './page-html.ts';

/**
 * What a page of a device may do: run the scripts that came with it, talk to the server it came from, and show pictures
 * that it was sent. No text from outside becomes markup, even by mistake: there is no policy that could make it.
 */
const contentSecurity = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' blob:",
  'media-src': 'blob:',
  'connect-src': "'self'",
  'worker-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
  'require-trusted-types-for': "'script'",
};

/** What a page with a camera asks a browser for; none of it is for pages in frames. */
const ownFeatures = [
  'accelerometer',
  'camera',
  'fullscreen',
  'gyroscope',
  'magnetometer',
  'screen-wake-lock',
];
const deniedFeatures = [
  'browsing-topics',
  'display-capture',
  'geolocation',
  'hid',
  'idle-detection',
  'microphone',
  'midi',
  'payment',
  'serial',
  'usb',
];

/** What may make text into a script of each page: nothing. A page with a worker names the one policy that it needs. */
const trustedTypes: Readonly<Record<PageName, string>> = { view: "'none'", connect: 'own-scripts' };

/** Headers of a page. They win over what the application sends. */
export function toPageHeaders(name: PageName): Readonly<Record<string, string>> {
  return {
    ...commonHeaders,
    'content-security-policy': toPolicy({ ...contentSecurity, 'trusted-types': trustedTypes[name] }),
  };
}

const commonHeaders = {
  'permissions-policy': toPermissions(ownFeatures, deniedFeatures),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  // Asked again each time: what it refers to changes with the next release.
  'cache-control': 'no-cache',
} as const;

/** A worker has the policy of its own file, whatever its page may do. */
const workerSecurity = toPolicy({ 'default-src': "'none'", 'script-src': "'self'", 'connect-src': "'self'" });

/** Headers of what pages are made of. Its address has another hash as soon as it is another. */
export const assetHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': workerSecurity,
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'public, max-age=31536000, immutable',
} as const;

function toPolicy(directives: Readonly<Record<string, string>>): string {
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');
}

function toPermissions(own: readonly string[], denied: readonly string[]): string {
  return [...own.map((name) => `${name}=(self)`), ...denied.map((name) => `${name}=()`)].join(', ');
}
