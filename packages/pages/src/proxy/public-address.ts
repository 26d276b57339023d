import type { Method } from '@waymark/contract/route';
import { type PathPair, type PathWriter, type ReadPath, toPathPair } from './path-writer.ts';
import type { Base } from './target.ts';

/** One proxy as addresses are looked up in it. */
export interface PublicRoute extends PathPair {
  readonly method: Method;
  readonly base: Base;
}

/** Makes what `toPublicAddress` looks an address up in. */
export function toPublicRoute(method: Method, path: string, rewrite: string, base: Base): PublicRoute {
  return { method, base, ...toPathPair(path, rewrite) };
}

/**
 * What callers are told instead of an address in an upstream's answer. On the origin of an upstream it is the path of the
 * proxy that leads there, one for GET before others, since that is what an address is used for; undefined where there is
 * none. Elsewhere it stays.
 *
 * @param address as the upstream wrote it: whole, or relative to what was asked for
 * @param target what was asked for
 */
export function toPublicAddress(
  address: string,
  target: string,
  routes: readonly PublicRoute[],
): string | undefined {
  if (!URL.canParse(address, target)) return undefined;
  const url = new URL(address, target);
  const own = routes.filter(({ base }) => base.origin === url.origin);
  if (own.length === 0) return hasScheme.test(address) ? address : url.href;
  const candidates = [
    ...own.filter(({ method }) => method === 'GET'),
    ...own.filter(({ method }) => method !== 'GET'),
  ];
  for (const { base, there, here } of candidates) {
    if (!url.pathname.startsWith(`${base.path}/`)) continue;
    const read = there.read(url.pathname.slice(base.path.length));
    const path = read && written(here, read);
    if (path !== undefined) return path + searchOf(url, base) + url.hash;
  }
  return undefined;
}

/** `//cdn.example/a` would be read with the scheme of our own page. */
const hasScheme = /^[a-z][a-z0-9+.-]*:/i;

/** What an upstream has in an address may be what no caller may send. */
function written(path: PathWriter, { values, spelling }: ReadPath): string | undefined {
  try {
    return path.write(values, spelling);
  } catch {
    return undefined;
  }
}

/** The query without that of the base URL: it is ours, and may be a key. */
function searchOf({ search, searchParams }: URL, { names }: Base): string {
  if (names.size === 0) return search;
  for (const name of names) searchParams.delete(name);
  const rest = searchParams.toString();
  return rest === '' ? '' : `?${rest}`;
}
