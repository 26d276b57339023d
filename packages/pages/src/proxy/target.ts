import type { EngineContext } from '@waymark/contract/engine';
import type { PathPair } from './path-writer.ts';

/** Where an upstream is, taken apart once. */
export interface Base {
  readonly origin: string;
  /** Without a slash at the end; empty for the top. */
  readonly path: string;
  /** The query of the base URL, as written, and the names in it. */
  readonly search: string;
  readonly names: ReadonlySet<string>;
}

/** Takes a base URL apart; undefined for one that is none. */
export function toBase(baseUrl: unknown): Base | undefined {
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) return undefined;
  const { origin, pathname, search, searchParams } = new URL(baseUrl);
  return {
    origin,
    path: pathname.replace(/\/+$/, ''),
    search: search.slice(1),
    names: new Set(searchParams.keys()),
  };
}

/** What of a call tells where it goes. */
type Addressed = Pick<EngineContext, 'input' | 'request' | 'route' | 'via'>;

/**
 * Writes the URL of a call. Origin and base path stand in front of whatever the caller chose, so that nothing in it can
 * leave them.
 *
 * @throws {HTTPError} 422 for a value that is no segment of a path
 */
export function toTarget(base: Base, { here, there }: PathPair, context: Addressed): string {
  const search = toSearch(base, context);
  // Arguments of a tool came in no path.
  const spelling = context.via === 'http' ? here.read(context.request.path)?.spelling : undefined;
  return base.origin + base.path + there.write(context.input, spelling) + (search === '' ? '' : `?${search}`);
}

/** The query of the base URL, which callers cannot change, then what they sent, then the defaults of what they did not. */
function toSearch({ search, names }: Base, { request, route, input }: Addressed): string {
  let text = search;
  const add = (name: string, value: unknown): void => {
    if (names.has(name)) return;
    text += `${text === '' ? '' : '&'}${encode(name)}=${encode(value)}`;
  };
  const { query } = request;
  for (const name in query) for (const value of [query[name]].flat()) add(name, value);
  for (const { name, place } of route.parameters) {
    if (place !== 'query' || name in query || !Object.hasOwn(input, name)) continue;
    for (const value of [input[name]].flat()) add(name, value);
  }
  return text;
}

function encode(value: unknown): string {
  // Half a surrogate pair has no percent-encoding.
  return encodeURIComponent(String(value).replace(/\p{Surrogate}/gu, '\ufffd'));
}
