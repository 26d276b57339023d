/** Whether somebody can be asked for keys there: https, or http on this machine, and nothing that would be lost or leak. */
export function isIssuerUrl(issuer: unknown): issuer is string {
  if (typeof issuer !== 'string' || !URL.canParse(issuer) || /[?#]/.test(issuer)) return false;
  const { protocol, hostname, username, password } = new URL(issuer);
  const encrypted = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
  return encrypted && username === '' && password === '';
}

/**
 * Where the metadata of an issuer may be, in the order that MCP clients keep: RFC 8414 puts the well-known part before
 * the path of the issuer, OpenID Connect Discovery behind it, and some do with theirs what RFC 8414 does.
 */
export function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    ...new Set([
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ]),
  ];
}

/**
 * How the address of an issuer's keys may be reached: beside the issuer wherever that is, elsewhere on the public
 * internet only, since it is the issuer's word and nobody has declared it. Undefined where it must not be.
 */
export function keysReach(issuer: string, uri: unknown): 'declared' | 'public' | undefined {
  if (typeof uri !== 'string' || !URL.canParse(uri)) return undefined;
  const { origin, protocol } = new URL(uri);
  if (origin === new URL(issuer).origin) return 'declared';
  return protocol === 'https:' ? 'public' : undefined;
}

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
