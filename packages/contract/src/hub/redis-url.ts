/**
 * Says what is wrong with the URL of a Redis, `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS. What
 * stands in it is not shown: it may hold a password.
 */
export function redisUrlFault(url: string): string | undefined {
  if (!URL.canParse(url)) return 'the URL of Redis is no URL';
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(url);
  if (protocol !== 'redis:' && protocol !== 'rediss:')
    return `the URL of Redis begins with ${protocol} in place of redis://`;
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
