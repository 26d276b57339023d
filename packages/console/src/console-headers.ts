/**
 * What the console may do: run the scripts that came with it, talk to the server it came from, and show pictures that it
 * was sent or that its own user pasted. No text from outside becomes markup, even by mistake: there is no policy that
 * could make it, and the page has no way to send what it knows to anybody else.
 */
const contentSecurity = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  // The docs page of the same service.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const deniedFeatures = [
  'browsing-topics',
  'camera',
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

/** Headers of the page. They win over what the application sends. */
export const pageHeaders = {
  'content-security-policy': contentSecurity,
  'permissions-policy': deniedFeatures.map((name) => `${name}=()`).join(', '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  // Asked again each time: what it refers to changes with the next release.
  'cache-control': 'no-cache',
} as const;

/** Headers of what it is made of. Its address has another hash as soon as it is another. */
export const fileHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'public, max-age=31536000, immutable',
} as const;
