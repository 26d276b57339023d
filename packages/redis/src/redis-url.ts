import { redisUrlFault } from '@waymark/contract/hub';

/** Where a Redis is, and how one gets in. */
export interface RedisPlace {
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  readonly tls: boolean;
}

/** Takes a URL apart. @throws {Error} it is none, and why, without what stands in it */
export function parseRedisUrl(url: string): RedisPlace {
  const wrong = redisUrlFault(url);
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
