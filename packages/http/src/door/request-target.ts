/** A request target taken apart, nothing decoded. */
export interface Target {
  readonly path: string;
  readonly search: string;
}

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
