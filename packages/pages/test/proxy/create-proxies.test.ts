import { createRouteTable, DeclarationError, HTTPError, media, type Problem } from '@waymark/contract';
import type { Plugin } from '@waymark/contract/engine';
import { testHost } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import {
  createProxies,
  type ForwardingDeclaration,
  proxy,
  type proxyRules,
  upstream,
} from '../../src/index.ts';
import { answering, forward } from './forward.ts';

function checked(
  declarations: readonly ForwardingDeclaration[],
  env: Record<string, string> = {},
): readonly Problem[] {
  const plugin = createProxies(declarations);
  const table = createRouteTable(plugin.routes);
  return [...table.problems, ...(plugin.check?.({ table, env: (name) => env[name] }) ?? [])];
}

const desk = upstream('desk', 'http://desk.internal/v1');

describe('the check of createProxies', () => {
  const wrong: readonly (readonly [
    string,
    readonly ForwardingDeclaration[],
    keyof typeof proxyRules | 'unknown-option' | 'option-type' | 'options-form',
    string,
  ])[] = [
    ['no name', [upstream('', 'http://a')], 'upstream-name', 'it has no name'],
    ['two of one name', [desk, upstream('desk', 'http://b')], 'upstream-taken', 'it is declared at'],
    ['no URL', [upstream('desk', 'desk.internal/v1')], 'upstream-url', 'no http or https URL'],
    ['no text', [upstream('desk', 7 as never)], 'upstream-url', 'no http or https URL'],
    ['another scheme', [upstream('desk', 'ftp://desk.internal')], 'upstream-url', 'no http or https URL'],
    ['a fragment', [upstream('desk', 'http://desk.internal/#a')], 'upstream-url', 'has a fragment'],
    ['credentials', [upstream('desk', 'http://a:secret@b')], 'upstream-credentials', 'has credentials'],
    [
      'a name of no header',
      [upstream('desk', 'http://a', { headers: { 'a b': 'c' } })],
      'upstream-header',
      'is no name of a header',
    ],
    [
      'a header of the connection',
      [upstream('desk', 'http://a', { headers: { 'Transfer-Encoding': 'chunked' } })],
      'upstream-header',
      'is about the connection',
    ],
    [
      'a header for a proxy',
      [upstream('desk', 'http://a', { headers: { 'Proxy-Authorization': 'x' } })],
      'upstream-header',
      'is about the connection',
    ],
    [
      'a line end in a header',
      [upstream('desk', 'http://a', { headers: { a: 'secret\r\nb: c' } })],
      'upstream-header',
      'holds what cannot be sent',
    ],
    [
      'a header that is a number',
      [upstream('desk', 'http://a', { headers: { a: 7 as never } })],
      'upstream-header',
      'holds what cannot be sent',
    ],
    [
      'two credentials',
      [upstream('desk', 'http://a', { bearerEnv: 'SET', headers: { Authorization: 'x' } })],
      'upstream-header',
      'is also what bearerEnv sends',
    ],
    [
      'no name of a variable',
      [upstream('desk', 'http://a', { bearerEnv: 'a-b' })],
      'upstream-bearer',
      'not the name of a variable',
    ],
    [
      'a variable that is not set',
      [upstream('desk', 'http://a', { bearerEnv: 'UNSET' })],
      'upstream-bearer',
      'the variable UNSET is not set',
    ],
    [
      'a token with a space',
      [upstream('desk', 'http://a', { bearerEnv: 'SPACED' })],
      'upstream-bearer',
      'the token in SPACED',
    ],
    [
      'no time',
      [upstream('desk', 'http://a', { timeoutMs: 0 })],
      'upstream-timeout',
      'timeoutMs is not from 1',
    ],
    [
      'no number',
      [upstream('desk', 'http://a', { timeoutMs: Number.NaN })],
      'upstream-timeout',
      'timeoutMs is not from 1',
    ],
    [
      'too much time',
      [upstream('desk', 'http://a', { timeoutMs: 2 ** 31 })],
      'upstream-timeout',
      'timeoutMs is not from 1',
    ],
    [
      'an unknown option',
      [upstream('desk', 'http://a', { timeout: 1 } as never)],
      'unknown-option',
      'unknown option "timeout"',
    ],
    [
      'headers that are none',
      [upstream('desk', 'http://a', { headers: 'x' as never })],
      'option-type',
      'headers is not an object',
    ],
    [
      'options that are none',
      [upstream('desk', 'http://a', 7 as never)],
      'options-form',
      'the options are not an object',
    ],
    ['an unknown upstream', [desk, proxy('GET', '/a', 'dsk')], 'unknown-upstream', 'unknown upstream "dsk"'],
    ['no upstream', [desk, proxy('GET', '/a', 7 as never)], 'unknown-upstream', 'its upstream is not a name'],
    [
      'an unknown parameter',
      [desk, proxy('GET', '/a/{id}', 'desk', { rewrite: '/b/{ids}' })],
      'proxy-rewrite',
      'the path of the route has no {ids}',
    ],
    [
      'a parameter that is a rest',
      [desk, proxy('GET', '/a/{id}', 'desk', { rewrite: '/b/{id*}' })],
      'proxy-rewrite',
      '{id*} is {id} in the path',
    ],
    [
      'a rest that would be one segment',
      [desk, proxy('GET', '/a/{rest*}', 'desk', { rewrite: '/{rest}' })],
      'proxy-rewrite',
      '{rest} is {rest*} in the path',
    ],
    [
      'a rewrite that is no path',
      [desk, proxy('GET', '/a', 'desk', { rewrite: 'b' })],
      'proxy-rewrite',
      'does not start with "/"',
    ],
    [
      'a rewrite with a query',
      [desk, proxy('GET', '/a', 'desk', { rewrite: '/b?c=d' })],
      'proxy-rewrite',
      'holds a character',
    ],
    [
      'a rewrite that climbs',
      [desk, proxy('GET', '/a', 'desk', { rewrite: '/../b' })],
      'proxy-rewrite',
      'holds a ".." segment',
    ],
    [
      'a rewrite that is no text',
      [desk, proxy('GET', '/a', 'desk', { rewrite: 7 as never })],
      'proxy-rewrite',
      'rewrite is not a path',
    ],
    [
      'an unknown route option',
      [desk, proxy('GET', '/a', 'desk', { rewrit: '/b' } as never)],
      'unknown-option',
      'unknown option "rewrit"',
    ],
    [
      'route options that are none',
      [desk, proxy('GET', '/a', 'desk', 7 as never)],
      'options-form',
      'the options are not an object',
    ],
  ];

  it.each(wrong)('finds %s', (_, declarations, code, rule) => {
    const env = { SET: 'token', SPACED: 'secret token' };
    const problems = checked(declarations, env);
    expect(problems).toMatchObject([{ code, rule: expect.stringContaining(rule) }]);
    const [{ nearest, fix, at } = {}] = problems;
    expect(at).toMatch(/create-proxies\.test\.ts:\d+$/);
    expect(nearest ?? fix).toMatch(/\S/);
    expect(JSON.stringify(problems)).not.toContain('secret');
  });

  it('names the upstream that was probably meant', () => {
    expect(checked([desk, proxy('GET', '/a', 'dsk')])).toMatchObject([{ nearest: 'desk' }]);
    expect(checked([proxy('GET', '/a', 'desk')])).toMatchObject([
      { fix: "declare it: upstream('desk', 'https://…')" },
    ]);
  });

  it('says what is wrong with an upstream once, however many proxies it has', () => {
    for (const timeoutMs of [Number.NaN, -5000, Number.POSITIVE_INFINITY]) {
      const late = upstream('late', 'http://a', { timeoutMs });
      const codes = checked([late, proxy('GET', '/a', 'late'), proxy('GET', '/b', 'late')]).map(
        ({ code }) => code,
      );
      expect(codes).toEqual(['upstream-timeout']);
    }
    const nowhere = [upstream('nowhere', 'nowhere'), proxy('GET', '/a', 'nowhere')];
    expect(checked(nowhere).map(({ code }) => code)).toEqual(['upstream-url']);
  });

  it('finds nothing wrong with what is right', () => {
    const full = upstream('full', 'https://full.example/v2/?key=1', {
      headers: { Accept: 'text/csv', Host: 'inner' },
      bearerEnv: 'SET',
      timeoutMs: 1,
    });
    const longest = upstream('longest', 'http://[::1]:8080', { timeoutMs: 2 ** 31 - 1 });
    const proxies = [
      proxy('GET', '/a/{id}/{rest*}', 'full', { rewrite: '/b/{rest}/{id}' }),
      proxy('GET', '/b/{id}/{rest*}', 'full', { rewrite: '/b/{rest}/c' }),
      proxy('GET', '/c/{id}/{rest*}', 'full', { rewrite: '/c/{id}/{rest*}' }),
      proxy('POST', '/a', 'longest', { rewrite: '/', tool: true, summary: 'Adds.' }),
    ];
    expect(checked([...proxies, full, longest], { SET: 'token' })).toEqual([]);
  });

  it('keeps a plugin from starting', async () => {
    const plugin = createProxies([proxy('GET', '/a', 'desk')]);
    await expect((async () => plugin.start?.(testHost()))()).rejects.toThrow(DeclarationError);
    expect(plugin.routes[0]?.engine).toEqual({ kind: 'proxy' });
  });
});

describe('a proxy', () => {
  it('has the time, the limits and the body of its kind', () => {
    const { routes } = createProxies([
      desk,
      upstream('slow', 'http://slow.internal', { timeoutMs: 60_000 }),
      proxy('POST', '/a', 'desk'),
      proxy('POST', '/b', 'slow', { maxBodyBytes: 10, timeoutMs: 5, body: 'bytes' }),
      proxy('GET', '/c', 'slow'),
      proxy('POST', '/d', 'desk', { input: { n: { type: 'integer' } } }),
      proxy('POST', '/e', 'desk', { body: 'none' }),
    ]);
    const shown = routes.map(({ body, maxBodyBytes, timeoutMs, engine }) => [
      engine.kind,
      body,
      maxBodyBytes,
      timeoutMs,
    ]);
    expect(shown).toEqual([
      ['proxy', 'source', Number.POSITIVE_INFINITY, 31_000],
      ['proxy', 'source', 10, 5],
      ['proxy', 'none', 1_048_576, 61_000],
      ['proxy', 'json', 1_048_576, 31_000],
      ['proxy', 'none', 1_048_576, 31_000],
    ]);
  });

  it('says that its errors may be of any type, since the upstream answers them as it likes', () => {
    const { routes } = createProxies([desk, proxy('GET', '/a', 'desk')]);
    expect(routes.map(({ facts }) => facts.failsAs)).toEqual([[media('*/*')]]);
  });

  it('asks with the limits of its upstream, 30 seconds where it has none, and follows the signal of the call', async () => {
    const { outbound, requests } = answering();
    const plugin = createProxies([
      desk,
      upstream('quick', 'http://quick.internal', { timeoutMs: 5 }),
      proxy('GET', '/a', 'desk'),
      proxy('GET', '/b', 'quick'),
    ]);
    const { signal } = new AbortController();
    await forward(plugin, outbound, { route: 'get_a', signal });
    await forward(plugin, outbound, { route: 'get_b' });
    expect(requests[0]).toEqual({
      ...{ method: 'GET', url: 'http://desk.internal/v1/a', headers: {}, signal, allow: 'declared' },
      ...{ timeoutMs: 30_000, idleTimeoutMs: 30_000, maxBytes: Number.POSITIVE_INFINITY },
      onBreak: expect.any(Function) as unknown,
    });
    expect(requests[1]).toMatchObject({ timeoutMs: 5, idleTimeoutMs: 5 });
  });

  it('sends the token that is set when the plugin starts', async () => {
    const { outbound, requests } = answering();
    const plugin = createProxies([
      upstream('desk', 'http://a', { bearerEnv: 'T' }),
      proxy('GET', '/a', 'desk'),
    ]);
    const headers = { authorization: 'Bearer mine', 'x-api-key': 'mine' };
    await forward(plugin, outbound, { route: 'get_a', headers }, { T: 'theirs' });
    expect(requests[0]?.headers).toEqual({ authorization: 'Bearer theirs' });
  });

  it('tells callers which upstream failed and how, and the log why', async () => {
    const plugin = createProxies([desk, proxy('GET', '/a', 'desk')]);
    for (const [status, told] of [
      [502, { status: 502, message: 'upstream "desk" did not answer' }],
      [403, { status: 502, message: 'upstream "desk" did not answer' }],
      [504, { status: 504, message: 'upstream "desk" took longer than 30000 ms' }],
    ] as const) {
      const logged: unknown[] = [];
      const error = new HTTPError(status, 'http://desk.internal said secret');
      const outbound = { request: () => Promise.reject(error) };
      await expect(forward(plugin, outbound, { route: 'get_a', logged })).rejects.toMatchObject({
        ...told,
        cause: error,
      });
      expect(logged).toEqual([['warn', 'upstream failed', { upstream: 'desk', error }]]);
    }
  });

  it('leaves to the call what is about the call', async () => {
    const plugin = createProxies([desk, proxy('GET', '/a', 'desk')]);
    const logged: unknown[] = [];
    const tooLarge = new HTTPError(413, 'the body is larger than 3 bytes');
    const rejecting = (error: Error) => ({ request: () => Promise.reject(error) });
    const asked = { route: 'get_a', logged };
    await expect(forward(plugin, rejecting(tooLarge), asked)).rejects.toBe(tooLarge);
    const late = new HTTPError(504, 'timed out after 5 s');
    const signal = AbortSignal.abort(late);
    await expect(forward(plugin, rejecting(late), { ...asked, signal })).rejects.toBe(late);
    const bug = new TypeError('bug');
    await expect(forward(plugin, rejecting(bug), asked)).rejects.toBe(bug);
    expect(logged).toEqual([]);
  });

  it('answers nothing before its plugin has started', async () => {
    const plugin: Plugin = createProxies([desk, proxy('GET', '/a', 'desk')]);
    const { start: _, ...unstarted } = plugin;
    const { outbound } = answering();
    await expect(forward(unstarted, outbound, { route: 'get_a' })).rejects.toThrow('has not started');
  });

  it('waits for a short answer and streams a long one', async () => {
    const plugin = createProxies([desk, proxy('GET', '/a', 'desk')]);
    for (const [length, kind] of [
      [65_535, 'bytes'],
      [65_536, 'bytes'],
      [65_537, 'stream'],
    ] as const) {
      const { outbound } = answering({
        text: 'x'.repeat(length),
        headers: { 'content-length': String(length) },
      });
      const { body } = await forward(plugin, outbound, { route: 'get_a' });
      expect(body).toMatchObject({ kind, ...(kind === 'stream' && { length }) });
    }
    // Nobody knows how long it will be.
    expect((await forward(plugin, answering({ text: 'x' }).outbound, { route: 'get_a' })).body.kind).toBe(
      'stream',
    );
    expect(
      (await forward(plugin, answering({ text: 'x' }).outbound, { route: 'get_a', via: 'mcp' })).body.kind,
    ).toBe('bytes');
  });

  it.each([
    [8_388_607, true],
    [8_388_608, true],
    [8_388_609, false],
  ])('gives a caller by name %i bytes: %s', async (length, given) => {
    const plugin = createProxies([desk, proxy('GET', '/a', 'desk')]);
    const { outbound } = answering({ text: 'x'.repeat(length) });
    const asked = forward(plugin, outbound, { route: 'get_a', via: 'agent' });
    if (given) expect((await asked).body).toMatchObject({ kind: 'bytes' });
    else
      await expect(asked).rejects.toMatchObject({
        status: 502,
        message: 'the answer of upstream "desk" is larger than 8388608 bytes',
      });
  });
});
