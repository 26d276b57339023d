import { createRouteTable, HTTPError } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';
import { type McpAuthorizationOptions, mcpAuthorization } from '@waymark/control-plane';
import { describe, expect, it } from 'vitest';

const issuer = 'https://login.example.com';
const make = (options: Partial<McpAuthorizationOptions> = {}) =>
  mcpAuthorization({
    authenticated: true,
    issuers: [issuer],
    challenge: 'Bearer realm="waymark"',
    ...options,
  });

/** `WWW-Authenticate` of a refusal that went through it. */
function challengeOf(
  options: Partial<McpAuthorizationOptions>,
  status: number,
  {
    path = '/mcp',
    host = 'desk.example:8000',
    principal = undefined as Principal | undefined,
  }: { path?: string; host?: string; principal?: Principal | undefined } = {},
): string | undefined {
  const refusal = new HTTPError(status, 'no', { headers: { 'x-kept': '1' }, code: 'kept' });
  const completed = make(options).challenge(refusal, { path, host, principal });
  expect(completed).toMatchObject({
    status,
    message: 'no',
    headers: { 'x-kept': '1' },
    members: { code: 'kept' },
  });
  return completed.headers['www-authenticate'];
}

/** What the metadata says to a client that asked for a host. */
async function metadata(options: Partial<McpAuthorizationOptions>, host?: string): Promise<unknown> {
  const [route] = make(options).routes;
  // The engine reads the headers of its context and nothing else.
  const context = {
    request: { headers: { ...(host !== undefined && { host }) } },
  } as unknown as EngineContext;
  return await route?.engine.answer?.(context);
}

describe('the challenge of mcpAuthorization', () => {
  const url = 'http://desk.example:8000/.well-known/oauth-protected-resource/_svc/mcp';

  it('leads to the metadata, at the host that was asked for', () => {
    expect(challengeOf({}, 401)).toBe(
      `Bearer realm="waymark", scope="svc:admin", resource_metadata="${url}"`,
    );
    expect(challengeOf({ controlPrefix: '/ops' }, 401)).toContain('oauth-protected-resource/ops/mcp"');
    expect(challengeOf({}, 401, { host: '' })).toBe('Bearer realm="waymark", scope="svc:admin"');
  });

  it('leads to where a surrounding application has mounted it, unless the public URL says so already', () => {
    const below = 'api/.well-known/oauth-protected-resource/_svc/mcp"';
    expect(challengeOf({ mountPath: '/api' }, 401)).toContain(`"http://desk.example:8000/${below}`);
    expect(challengeOf({ mountPath: '/api', publicUrl: 'https://desk.example/api' }, 401)).toContain(
      `"https://desk.example/${below}`,
    );
  });

  it('says which scopes are needed to somebody who lacks one', () => {
    expect(challengeOf({}, 403)).toBe(
      `Bearer realm="waymark", error="insufficient_scope", scope="svc:admin", resource_metadata="${url}"`,
    );
    expect(challengeOf({ mcpScopes: ['a', 'b"\\'], issuers: [] }, 403)).toBe(
      'Bearer realm="waymark", error="insufficient_scope", scope="a b\\"\\\\"',
    );
  });

  it('asks for the scopes of the gate and of all tools at once, as long as a header can hold them', () => {
    const toolScopes = (count: number) => () => Array.from({ length: count }, (_, i) => `tool-${i % 300}`);
    expect(challengeOf({ mcpScopes: ['use'], toolScopes: toolScopes(2) }, 401)).toContain(
      ', scope="use tool-0 tool-1", ',
    );
    expect(challengeOf({ mcpScopes: [], toolScopes: () => [] }, 401)).not.toContain('scope');
    // 2,048 characters, quotes included.
    const long = (length: number) => ({ mcpScopes: [], toolScopes: () => ['x'.repeat(length)] });
    expect(challengeOf(long(2046), 401)).toContain(' scope="xxx');
    expect(challengeOf(long(2047), 401)).toBe(`Bearer realm="waymark", resource_metadata="${url}"`);
  });

  it('asks for what the token has, too, and of nobody else more than what is needed', () => {
    const holder = (issued: string | undefined, ...scopes: string[]): Principal => ({
      ...{ id: 'ann', rootId: 'ann', authenticated: true, scopes },
      ...(issued !== undefined && { issuer: issued }),
    });
    const needed = (principal: Principal, path = '/mcp'): string | undefined =>
      /scope="([^"]*)", resource/.exec(
        challengeOf({ mcpScopes: ['use'] }, 403, { path, principal }) ?? '',
      )?.[1];
    expect(needed(holder(issuer, 'openid', 'a'))).toBe('openid a use');
    expect(needed(holder(issuer, 'größe', 'a\r\nb', ''))).toBe('use');
    expect(needed(holder(issuer, 'y'.repeat(2047)))).toBe('use');
    expect(needed(holder(undefined, 'a'))).toBe('use');
    expect(needed(holder('https://other.example', 'a'))).toBe('use');
  });

  it('reads alike on other paths, but for what leads to MCP', () => {
    for (const path of ['/audit', '/no/such/path']) {
      expect(challengeOf({ mcpScopes: ['a'] }, 401, { path })).toBe('Bearer realm="waymark"');
      expect(challengeOf({ mcpScopes: ['a'] }, 403, { path })).toBe(
        'Bearer realm="waymark", error="insufficient_scope", scope="svc:admin"',
      );
    }
    expect(challengeOf({ mcpScopes: ['a'] }, 403, { path: '/tools' })).toContain('scope="a"');
  });

  it('names no metadata where nobody can be asked for a token', () => {
    for (const issuers of [[], ['support'], ['mailto:a@b'], ['https://']])
      expect(challengeOf({ issuers }, 401)).toBe('Bearer realm="waymark"');
  });

  it('asks for a key where no tokens are taken', () => {
    const keysOnly = { issuers: [], challenge: 'ApiKey realm="waymark"' };
    expect(challengeOf(keysOnly, 401)).toBe('ApiKey realm="waymark"');
    expect(challengeOf(keysOnly, 403)).toBe(
      'ApiKey realm="waymark", error="insufficient_scope", scope="svc:admin"',
    );
  });

  it('steps up who has a token of an issuer that can be asked, and nobody else', () => {
    const ann = { id: 'ann', rootId: 'ann', authenticated: true, scopes: ['use', 'a'] };
    const authorization = make({ issuers: [issuer, 'the shop'] });
    const host = 'desk.example:8000';
    expect(authorization.stepUp({ ...ann, issuer }, ['b', 'a'], host)).toBe(
      `Bearer realm="waymark", error="insufficient_scope", scope="use a b", resource_metadata="${url}"`,
    );
    expect(authorization.stepUp({ ...ann, issuer: 'the shop' }, ['b'], host)).toBeUndefined();
    expect(authorization.stepUp(ann, ['b'], host)).toBeUndefined();
  });

  it('leaves other refusals as they are', () => {
    expect(challengeOf({}, 429)).toBeUndefined();
    expect(challengeOf({ authenticated: false }, 403)).toBeUndefined();
  });
});

describe('the metadata of mcpAuthorization', () => {
  const members = {
    authorization_servers: [issuer],
    scopes_supported: ['svc:admin'],
    bearer_methods_supported: ['header'],
  };

  it('names the endpoint as the client reaches it, and who issues tokens for it', async () => {
    expect(await metadata({}, 'localhost:8000')).toEqual({
      resource: 'http://localhost:8000/_svc/mcp',
      ...members,
    });
    expect(await metadata({ publicUrl: 'https://desk.example/shop/' }, 'localhost')).toMatchObject({
      resource: 'https://desk.example/shop/_svc/mcp',
    });
    expect(await metadata({ mountPath: '/api' }, 'localhost')).toMatchObject({
      resource: 'http://localhost/api/_svc/mcp',
    });
    const other = 'http://other.example/realm';
    expect(await metadata({ issuers: [issuer, 'support', other, issuer], mcpScopes: [] }, 'a')).toEqual({
      resource: 'http://a/_svc/mcp',
      authorization_servers: [issuer, other],
      bearer_methods_supported: ['header'],
    });
  });

  it('lists what tools need beside what the gate needs, each once', async () => {
    const toolScopes = () => ['a', 'svc:admin', 'b', 'a'];
    expect(await metadata({ toolScopes }, 'a')).toMatchObject({ scopes_supported: ['svc:admin', 'a', 'b'] });
  });

  it('cannot be given to a client that names no host', async () => {
    await expect(metadata({})).rejects.toMatchObject({ status: 400 });
    expect(await metadata({ publicUrl: 'https://desk.example' })).toMatchObject({
      resource: 'https://desk.example/_svc/mcp',
    });
  });

  it('is one route, under one name wherever the prefix is, and none without an issuer that is a URL', () => {
    for (const controlPrefix of ['/_svc', '/ops/internal']) {
      const { routes } = make({ controlPrefix });
      const table = createRouteTable(routes, { controlPrefix }).freeze();
      const route = table.get('get_oauth_protected_resource');
      expect(route && table.pathOf(route)).toBe(`/.well-known/oauth-protected-resource${controlPrefix}/mcp`);
      expect(route?.scopes).toEqual([]);
    }
    expect(make({ issuers: ['support'] }).routes).toEqual([]);
  });
});

describe('the own paths of mcpAuthorization', () => {
  it('are those where OAuth metadata is looked for', () => {
    const { isOwnPath } = make();
    for (const name of ['oauth-protected-resource', 'oauth-authorization-server', 'openid-configuration'])
      for (const rest of ['', '/', '/_svc/mcp', '/else/where'])
        expect(isOwnPath(`/.well-known/${name}${rest}`), name + rest).toBe(true);
    for (const path of [
      '/',
      '/.well-known',
      '/.well-known/security.txt',
      '/.well-known/oauth-protected-resources',
    ])
      expect(isOwnPath(path), path).toBe(false);
    expect(isOwnPath('/a/.well-known/openid-configuration')).toBe(false);
  });
});
