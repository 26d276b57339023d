import { loopbackAddresses } from './loopback-addresses.ts';

/**
 * Makes what finds the header by which a request says that it was forwarded for somebody who is not on this machine, or
 * does not say for whom: a peer of loopback is then a proxy, and its caller may be anywhere. Trusted or not, since who
 * makes such a header up only keeps itself out. A proxy of this machine for callers of this machine, a server for development
 * say, names loopback addresses alone.
 */
export function forwardedElsewhere(): (
  headers: Readonly<Record<string, string>> | undefined,
) => string | undefined {
  const isLoopback = loopbackAddresses();
  const isHere = (text: string): boolean => isLocalhost(text) || isLoopback(toAddress(text));
  return (headers) => {
    let silent: string | undefined;
    let named = false;
    // The few that were sent, not the many that might have been.
    for (const name in headers) {
      if (tellingNothing.has(name)) silent ??= name;
      else if (tellingFor.has(name)) {
        const told =
          name === 'forwarded' ? toForwardedFor(headers[name] as string) : headers[name]?.split(',');
        if (!told?.every((entry) => isHere(entry.trim()))) return name;
        named = true;
      }
    }
    return named ? undefined : silent;
  };
}

/** Headers that name whom a request was forwarded for. */
const tellingFor: ReadonlySet<string> = new Set([
  ...['forwarded', 'x-forwarded-for', 'x-original-forwarded-for', 'x-real-ip', 'x-client-ip'],
  ...['x-forwarded', 'forwarded-for', 'x-cluster-client-ip', 'x-envoy-external-address', 'x-azure-clientip'],
  ...['cf-connecting-ip', 'cf-connecting-ipv6', 'true-client-ip', 'x-appengine-user-ip'],
  ...['fastly-client-ip', 'fly-client-ip', 'do-connecting-ip'],
]);

/** Headers of proxies that do not name it. */
const tellingNothing: ReadonlySet<string> = new Set([
  ...['via', 'cdn-loop', 'x-forwarded-host', 'x-forwarded-port', 'x-forwarded-proto', 'x-forwarded-server'],
]);

/** One name and value of `Forwarded` (RFC 7239, 4). */
const pair = /^\s*([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*)"|([^\s"]+))\s*$/;

/** What each proxy on the way says; undefined when one of them does not say it, or cannot be read. */
function toForwardedFor(value: string): readonly string[] | undefined {
  const told: string[] = [];
  // A quoted text that holds one of the marks falls apart here, and its parts are no pairs.
  for (const element of value.split(',')) {
    const pairs = element.split(';').map((text) => pair.exec(text));
    const [whom, ...more] = pairs.filter((read) => read?.[1]?.toLowerCase() === 'for');
    if (!whom || more.length > 0 || pairs.includes(null)) return undefined;
    told.push(whom[2] ?? whom[3] ?? '');
  }
  return told;
}

/** An address as proxies write it: bare, with a port, in brackets. */
function toAddress(text: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

function isLocalhost(text: string): boolean {
  return text.toLowerCase() === 'localhost';
}
