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
 * Decodes a query once; `+` is a space.
 *
 * @throws {HTTPError} 400 for percent-encoding that is none
 */
export function parseQuery(search: string): Query {
  if (search === '') return noQuery;
  const pairs: [string, string][] = [];
  for (const piece of search.split('&')) {
    if (piece === '') continue;
    const equals = piece.indexOf('=');
    if (equals === -1) pairs.push([decode(piece), '']);
    else pairs.push([decode(piece.slice(0, equals)), decode(piece.slice(equals + 1))]);
  }
  return pairs;
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
