import type { Fault, RuleBook } from '@waymark/contract/declaring';

/** What holds for the URL of a Redis, by the `code` that a problem carries. */
export const redisRules = {
  'redis-url': 'The URL of a Redis says redis:// or rediss://, a host, and nothing that is not understood.',
  'redis-refused': 'Redis lets this service in.',
} as const satisfies RuleBook;

/** Where a Redis is, and how one gets in. */
export interface RedisPlace {
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  readonly tls: boolean;
}

const fix =
  'write redis://host:6379, or rediss:// for TLS, with user:password@ in front of the host where it needs them';

/** Says what is wrong with a URL. What stands in it is not shown: it may hold a password. */
export function checkRedisUrl(url: string): readonly Fault<'redis-url'>[] {
  const wrong = faultOf(url);
  return wrong === undefined ? [] : [{ code: 'redis-url', rule: wrong, fix }];
}

/** Takes a URL apart. @throws {Error} it is none; `checkRedisUrl` says why */
export function parseRedisUrl(url: string): RedisPlace {
  const wrong = faultOf(url);
  if (wrong !== undefined) throw new Error(wrong);
  const { protocol, hostname, port, username, password, pathname } = new URL(url);
  return {
    // An address of IPv6 stands in brackets.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 6379 : Number(port),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    db: Number(pathname.slice(1)),
    tls: protocol === 'rediss:',
  };
}

function faultOf(url: string): string | undefined {
  if (!URL.canParse(url)) return 'the URL of Redis is no URL';
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(url);
  if (protocol !== 'redis:' && protocol !== 'rediss:')
    return `the URL of Redis begins with ${protocol}// in place of redis://`;
  if (hostname === '') return 'the URL of Redis names no host';
  if (!/^\/?\d{0,4}$/.test(pathname)) return 'the path of the URL of Redis is not the number of a database';
  if (search !== '' || hash !== '') return 'the URL of Redis has more than a host and a database';
  if (!isEncoded(username) || !isEncoded(password))
    return 'name and password in the URL of Redis are not encoded for a URL';
  return undefined;
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
