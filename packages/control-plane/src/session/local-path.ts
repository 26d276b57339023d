/** The longest path that somebody is led back to. */
const maxPathLength = 2_000;

/** No origin of anybody, to resolve against. */
const nowhere = 'http://nowhere.invalid';

/**
 * A path of this very origin to lead a browser to, or `/` for anything else: other origins however they are written,
 * relative paths, and what some browser may read as one of those.
 */
export function localPath(given: unknown): string {
  if (typeof given !== 'string' || given.length > maxPathLength) return '/';
  // Browsers take `\` for `/`, and leave out line breaks and tabs.
  if (!/^\/(?!\/)[^\\\p{Cc}\p{Cs}]*$/u.test(given) || !URL.canParse(given, nowhere)) return '/';
  const { origin, pathname, search, hash } = new URL(given, nowhere);
  // Of `/.//there` is left `//there`, which is another host.
  return origin === nowhere && !pathname.startsWith('//') ? pathname + search + hash : '/';
}
