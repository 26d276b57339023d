import type { Route, RouteTable } from '@waymark/contract';
import type { Match, Router } from '@waymark/contract/engine';
import { type Method, parsePath } from '@waymark/contract/route';
import createFindMyWay from 'find-my-way';

/** What find-my-way keeps beside a path. `rest` names the parameter that it calls `*`. */
interface Entry {
  readonly route: Route;
  readonly rest: string | undefined;
}
type Finder = ReturnType<typeof createFindMyWay>;

/**
 * The routes of one kind. By itself find-my-way lets `/a/` match `/a/{id}` with an empty parameter, which is none. Only a
 * `{rest*}` matches an empty segment, so such a path is looked up again among those, with patterns that take no empty
 * parameter; patterns for every path would cost 90 ns a parameter.
 */
interface Finders {
  readonly all: Finder;
  readonly rests: Finder;
}

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Longer path parameters find nothing; the request line is limited long before. */
const maxParamLength = 16_384;

/**
 * Makes the router of a table. It matches case-sensitively and with strict slashes, decodes parameters once, after
 * matching, so that `%2F` never separates, and normalises nothing (decision 2.5).
 */
export function createRouter(table: RouteTable): Router {
  const plain = createFinders();
  const sockets = createFinders();
  for (const route of table) {
    const { path, strictPath, rest } = toPattern(table.pathOf(route));
    const entry: Entry = { route, rest };
    const finders = route.socket ? sockets : plain;
    finders.all.on(route.method, path, noHandler, entry);
    if (rest !== undefined) finders.rests.on(route.method, strictPath, noHandler, entry);
  }
  return {
    match(method, path, upgrade) {
      if (isMalformed(path)) return { found: false, status: 400, allow: [] };
      if (upgrade) return matchUpgrade(plain, sockets, method, path);
      return (
        find(plain, method === 'HEAD' ? 'GET' : (method as Method), path) ??
        missing(plain, sockets, method, path)
      );
    },
  };
}

function matchUpgrade(plain: Finders, sockets: Finders, method: string, path: string): Match {
  const found = method === 'GET' ? find(sockets, 'GET', path) : undefined;
  if (found) return found;
  const miss = missing(plain, sockets, 'GET', path);
  // The path is there, but it is no socket: an upgrade of it is a malformed request, not a missing page.
  return miss.status === 404 ? miss : { ...miss, status: 400 };
}

function find(
  { all, rests }: Finders,
  method: Method,
  path: string,
): Extract<Match, { found: true }> | undefined {
  return (
    toMatch(all.find(method, path)) ??
    (path.includes('//') || path.endsWith('/') ? toMatch(rests.find(method, path)) : undefined)
  );
}

function toMatch(hit: ReturnType<Finder['find']>): Extract<Match, { found: true }> | undefined {
  if (!hit) return undefined;
  const { route, rest } = hit.store as Entry;
  const params = hit.params as Record<string, string>;
  if (rest !== undefined) {
    params[rest] = params['*'] ?? '';
    delete params['*'];
  }
  for (const name in params) if (params[name] === '' && name !== rest) return undefined;
  return { found: true, route, params };
}

function missing(
  plain: Finders,
  sockets: Finders,
  asked: string,
  path: string,
): Extract<Match, { found: false }> {
  const allow = methods.filter((method) => find(plain, method, path));
  // Where there is a socket, a GET without an upgrade lacks just that, whatever else can be asked there (decision 2.3).
  const isGet = asked === 'GET' || asked === 'HEAD';
  if ((allow.length === 0 || (isGet && !allow.includes('GET'))) && find(sockets, 'GET', path))
    return { found: false, status: 426, allow: ['GET', ...allow] };
  if (allow.length === 0) return { found: false, status: 404, allow: [] };
  return {
    found: false,
    status: 405,
    allow: [...allow, ...(allow.includes('GET') ? ['HEAD'] : []), 'OPTIONS'],
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controlCharacter = /[\x00-\x1f\x7f]/;

/** Percent-encodings that are none, control characters, and a `#`, which no client sends in a path. */
function isMalformed(path: string): boolean {
  if (!path.startsWith('/') || path.includes('#') || controlCharacter.test(path)) return true;
  if (!path.includes('%')) return false;
  try {
    return controlCharacter.test(decodeURIComponent(path));
  } catch {
    return true;
  }
}

/** Anything but nothing: a decoded parameter may hold slashes and line ends. */
const notEmpty = '([\\s\\S]+)';

/** Writes a template in find-my-way's language. The table has checked that it parses. */
function toPattern(template: string): { path: string; strictPath: string; rest: string | undefined } {
  const parsed = parsePath(template);
  if (!parsed.ok) throw new Error(parsed.rule);
  const last = parsed.segments.at(-1);
  const write = (suffix: string): string => {
    const parts = parsed.segments.map((segment) => {
      if (segment.kind === 'literal') return segment.text;
      return segment.kind === 'rest' ? '*' : `:${segment.name}${suffix}`;
    });
    return `/${parts.join('/')}`;
  };
  return {
    path: write(''),
    strictPath: write(notEmpty),
    rest: last?.kind === 'rest' ? last.name : undefined,
  };
}

function createFinders(): Finders {
  const options = {
    caseSensitive: true,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
    maxParamLength,
  };
  return { all: createFindMyWay(options), rests: createFindMyWay(options) };
}

/** find-my-way wants one; routes are read from the entry. */
function noHandler(): void {}
