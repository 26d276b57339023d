import { HTTPError } from '@waymark/contract';

/** A request target taken apart, nothing decoded. */
export interface Target {
  readonly path: string;
  readonly search: string;
}

/** A decoded query, in the order sent. */
export type Query = readonly (readonly [name: string, value: string])[];

const noQuery: Query = Object.freeze([]);

/** Splits `/path?query`. Of the absolute form, which proxies are sent, only path and query count. */
export function parseTarget(target: string): Target {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const mark = local.indexOf('?');
  const path = mark === -1 ? local : local.slice(0, mark);
  return { path: path === '' ? '/' : path, search: mark === -1 ? '' : local.slice(mark + 1) };
}

/** Whether a target is what a server is sent: a path, which nearly all are, or in absolute form a whole URL (RFC 9112, 3.2). */
export function isTarget(target: string): boolean {
  return target.startsWith('/') || !/^https?:/i.test(target) || URL.canParse(target);
}

/** The host that a target in absolute form names, which then counts in place of the `Host` header (RFC 9112, 3.2.2). */
export function targetHost(target: string): string | undefined {
  if (target.startsWith('/') || !/^https?:/i.test(target)) return undefined;
  return URL.canParse(target) ? new URL(target).host : undefined;
}

/** The target below a mount path (`/api`), as express leaves it to what is mounted there; undefined when it is elsewhere. */
export function belowMount(target: string, mountPath: string): string | undefined {
  if (mountPath === '') return target;
  const { path, search } = parseTarget(target);
  if (path !== mountPath && !path.startsWith(`${mountPath}/`)) return undefined;
  const rest = path.slice(mountPath.length) || '/';
  return search === '' ? rest : `${rest}?${search}`;
}

/** Whether a text is a place to mount at: plain segments, without a slash at the end; empty for the top. */
export function isMountPath(text: string): boolean {
  return /^(\/(?!\.{1,2}(\/|$))[\w.~-]+)*$/.test(text);
}

/**
 * Decodes a query once; `+` is a space. One of 16 KB may have 4,000 names, so each is looked at once.
 *
 * @throws {HTTPError} 400 for percent-encoding that is none
 */
export function parseQuery(search: string): Query {
  if (search === '') return noQuery;
  const read = search.includes('%') || search.includes('+') ? decode : asIs;
  const pairs: [string, string][] = [];
  let equals = -1;
  for (let start = 0; start < search.length; ) {
    const and = search.indexOf('&', start);
    const end = and === -1 ? search.length : and;
    // The next one, of this piece or a later one: it is looked for once.
    if (equals < start) {
      const next = search.indexOf('=', start);
      equals = next === -1 ? search.length : next;
    }
    if (equals < end) pairs.push([read(search.slice(start, equals)), read(search.slice(equals + 1, end))]);
    else if (end > start) pairs.push([read(search.slice(start, end)), '']);
    start = end + 1;
  }
  return pairs;
}

function asIs(text: string): string {
  return text;
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch (cause) {
    throw new HTTPError(400, 'the query is not valid percent-encoding', { cause });
  }
}
