/** Headers by which caches of networks and proxies are told what `cache-control` does not say, and before it. */
const ofSharedCaches: ReadonlySet<string> = new Set([
  ...['cdn-cache-control', 'surrogate-control', 'edge-control', 'x-accel-expires'],
  ...['x-litespeed-cache-control', 'expires'],
]);

/** Whether a header says how long others than the caller keep an answer, `Expires` included. */
export function isForSharedCaches(name: string): boolean {
  return ofSharedCaches.has(name) || name.endsWith('-cdn-cache-control');
}

/** One directive (RFC 9111, 5.2), and what follows it. */
const directive =
  /^[\s,]*([\w!#$%&'*+.^`|~-]+)(?:=("(?:[^"\\]|\\.)*"|[\w!#$%&'*+.^`|~-]+))?[ \t]*(?:,[\s,]*|$)/;

/** Only of or for shared caches; `private` is said anew, since with the names of headers it means these alone. */
const shared: ReadonlySet<string> = new Set(['public', 's-maxage', 'proxy-revalidate', 'private']);

/**
 * `cache-control` of an answer that not everybody may have: what it says, for the caller alone. Nobody keeps one that cannot be
 * read.
 */
export function toPrivateKeeping(cacheControl: string): string {
  const kept = ['private'];
  for (let rest = cacheControl; rest !== ''; ) {
    const read = directive.exec(rest);
    if (!read) return 'no-store';
    const [text, name = '', value] = read;
    if (!shared.has(name.toLowerCase())) kept.push(value === undefined ? name : `${name}=${value}`);
    rest = rest.slice(text.length);
  }
  return kept.length > 1 ? kept.join(', ') : 'private, no-cache';
}
