import { isIP } from 'node:net';

/** Whether a `Host` header is a name or an address with or without a port, or empty (RFC 9110, 7.2). */
export function isHostForm(host: string): boolean {
  return /^(?:[\w.~%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i.test(host);
}

/** The name in a `Host` header: lower-cased, without port, trailing dot and the brackets of IPv6. */
export function hostName(host: string): string {
  const lower = host.toLowerCase();
  if (lower.startsWith('[')) return lower.slice(1, lower.includes(']') ? lower.indexOf(']') : undefined);
  const colon = lower.indexOf(':');
  const name = colon === -1 ? lower : lower.slice(0, colon);
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/**
 * Makes the rule that says whether a `Host` is one of ours: a loopback name, the address the connection came to, or a
 * listed name.
 *
 * It is there against DNS rebinding: a page of `evil.example` that makes its own name point to this machine is of one
 * origin with us then, and only the name tells. So names decide, ports do not. HTTP/1.0 may come without a Host; browsers
 * never do.
 */
export function createHostRule(
  names: readonly string[],
): (host: string | undefined, localAddress: string | undefined) => boolean {
  const listed = new Set(names.map(hostName));
  let last: string | undefined;
  return (host, localAddress) => {
    // Nearly all requests have the one they had before.
    if (host === undefined || host === last) return true;
    const name = hostName(host);
    if (!isLoopbackName(name) && !listed.has(name)) return isLocalAddress(name, localAddress);
    last = host;
    return true;
  };
}

/** 127/8, ::1 and `localhost`. */
function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '::1' || (name.startsWith('127.') && isIP(name) === 4);
}

/** Nobody can make the address of this machine point elsewhere, or another origin's page be served from it. */
function isLocalAddress(name: string, localAddress = ''): boolean {
  if (isIP(name) === 0) return false;
  return name === (localAddress.startsWith('::ffff:') ? localAddress.slice(7) : localAddress);
}
