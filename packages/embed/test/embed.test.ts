import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { callTool, defineRoute, Type, toRoute } from '@waymark/contract';
import { type Host, jsonResponse } from '@waymark/contract/engine';
import { anonymous, type Principal } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { embedded, serve, witness } from './served.ts';

const hello = defineRoute('GET', '/hello', {}, () => 'hi');
const secret = defineRoute('GET', '/secret', { scopes: ['read'] }, (_input, { user }) => user.id);
const listing = toRoute(
  'GET',
  '/things',
  { kind: 'control', answer: () => jsonResponse({ things: [] }) },
  { plane: 'control' },
);
const feed = toRoute(
  'GET',
  '/feed',
  { kind: 'handler', accept: (peer) => peer.send('hi') },
  { socket: true },
);
const ann: Principal = { id: 'ann', rootId: 'ann', authenticated: true, scopes: ['read'] };

const status = async (url: string, init: RequestInit = {}): Promise<number> =>
  (await fetch(url, init)).status;

describe('what is embedded', () => {
  it('serves its routes and those of its plugins, beside an application', async () => {
    verifies('embed.composes');
    const plugin = witness('news', [], { routes: [defineRoute('GET', '/news', {}, () => 'none')] });
    const { listener, table } = await embedded({ routes: [hello], plugins: [plugin], mountPath: '/api' });
    const url = await serve(listener((_req, res) => res.end('theirs')));
    expect(await (await fetch(`${url}/api/hello`)).json()).toBe('hi');
    expect(await (await fetch(`${url}/api/news`)).json()).toBe('none');
    expect(await (await fetch(`${url}/hello`)).text()).toBe('theirs');
    expect([...table].map(({ path }) => path)).toEqual(['/hello', '/news']);
    const alone = await serve((await embedded({ routes: [hello] })).listener());
    expect([await status(`${alone}/hello`), await status(`${alone}/other`)]).toEqual([200, 404]);
  });

  it('knows nobody without a sign-in, and refuses what needs scopes, and the control plane', async () => {
    verifies('embed.nobody');
    const { listener, logged } = await embedded({ routes: [hello, secret, listing] });
    const url = await serve(listener());
    const headers = { 'x-api-key': 'any', authorization: 'Bearer any' };
    expect(await status(`${url}/hello`, { headers })).toBe(200);
    expect(await status(`${url}/secret`, { headers })).toBe(401);
    for (const path of ['/_svc/things', '/_svc/other', '/_svc/health'])
      expect(await status(url + path, { headers }), path).toBe(401);
    expect(logged.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: expect.stringContaining('nobody can be authenticated'), fields: { code: 'nobody-known' } },
    ]);
  });

  it('opens the control plane to the scope svc:admin, or by a rule of its own', async () => {
    verifies('embed.control');
    const principalOf = ({ headers }: { headers: NodeJS.Dict<unknown> }): Principal | undefined =>
      headers['cookie'] === 'ann' ? ann : { ...ann, scopes: ['svc:admin'] };
    const parts = { routes: [listing], principalOf };
    const url = await serve((await embedded(parts)).listener());
    expect(await status(`${url}/_svc/things`, { headers: { cookie: 'ann' } })).toBe(403);
    expect(await status(`${url}/_svc/things`)).toBe(200);
    const open = await serve((await embedded({ ...parts, controlRule: () => undefined })).listener());
    expect(await status(`${open}/_svc/things`, { headers: { cookie: 'ann' } })).toBe(200);
  });

  it('gives plugins a host with stores and an outbound client, and tells them of events', async () => {
    verifies('embed.needs');
    const seen: unknown[] = [];
    let host: Host | undefined;
    const plugin = witness('curious', [], {
      needs: ['outbound'],
      start: (given) => {
        host = given;
      },
      observe: ({ kind }) => void seen.push(kind),
      guards: [({ route }) => void seen.push(`guard of ${route.name}`)],
    });
    const tool = defineRoute('GET', '/tool', { tool: true, summary: 'A tool.' }, () => 1);
    const emitted: unknown[] = [];
    const { dispatcher } = await embedded({
      routes: [tool],
      plugins: [plugin],
      emit: ({ kind }) => void emitted.push(kind),
    });
    const call = { route: tool, arguments: {}, principal: anonymous(), via: 'mcp', requestId: 'r' } as const;
    expect(await callTool(dispatcher, call)).toMatchObject({ ok: true });
    expect(seen).toEqual(['guard of get_tool', 'tool_called']);
    expect(emitted).toEqual(['tool_called']);
    const target = await serve((_req, res) => res.end('out'));
    const answer = await host?.outbound.request({
      ...{ method: 'GET', url: target, headers: {}, allow: 'declared' },
      ...{ signal: new AbortController().signal, maxBytes: 100, timeoutMs: 30_000 },
    });
    expect(answer?.status).toBe(200);
    expect(await host?.stores.leases.acquire('lease', 'me', 1000, Date.now())).toBeTruthy();
  });

  it('can be there twice, in one process and in one server', async () => {
    verifies('embed.two');
    const one = await embedded({ routes: [hello], mountPath: '/one' });
    const two = await embedded({ routes: [secret, feed], mountPath: '/two', principalOf: () => ann });
    const server = two.attach(
      one.attach(createServer(one.listener(two.listener((_, res) => res.end('theirs'))))),
    );
    const url = await serve(server);
    expect(await (await fetch(`${url}/one/hello`)).json()).toBe('hi');
    expect(await (await fetch(`${url}/two/secret`)).json()).toBe('ann');
    expect(await (await fetch(`${url}/secret`)).text()).toBe('theirs');
    await one.close();
    await two.close();
    expect(server.listening).toBe(false);
  });

  it('says when express has it elsewhere than it was told', async () => {
    verifies('embed.mount-path');
    const { middleware, logged } = await embedded({ routes: [hello, feed] });
    const url = await serve((req, res) => {
      Object.assign(req, { baseUrl: '/yard', originalUrl: req.url, url: req.url?.slice('/yard'.length) });
      middleware(req, res, () => res.end('next'));
    });
    for (const path of ['/yard/hello', '/yard/hello'])
      expect(await (await fetch(url + path)).json()).toBe('hi');
    expect(logged.filter(({ level }) => level === 'warn')).toMatchObject([
      { fields: { fix: 'write mountPath: "/yard"' } },
    ]);
  });

  it('has each option of what it is made of', async () => {
    verifies('embed.options');
    const { listener } = await embedded({
      routes: [
        hello,
        listing,
        defineRoute('POST', '/list', { input: { list: Type.Array(Type.Integer()) } }, () => 1),
      ],
      controlPrefix: '/admin',
      controlRule: () => undefined,
      maxBodyValues: 3,
      strictQuery: true,
      securityHeaders: { frameOptions: 'SAMEORIGIN' },
      rateLimit: { perSecond: 1, burst: 4 },
      newId: () => 'made',
    });
    const url = await serve(listener());
    const answer = await fetch(`${url}/hello`);
    expect([answer.headers.get('x-frame-options'), answer.headers.get('x-request-id')]).toEqual([
      'SAMEORIGIN',
      'made',
    ]);
    expect(await status(`${url}/admin/things`)).toBe(200);
    expect(await status(`${url}/hello?odd=1`)).toBe(422);
    const body = JSON.stringify({ list: [1, 2, 3, 4] });
    expect(
      await status(`${url}/list`, { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
    ).toBe(413);
    expect(await status(`${url}/hello`)).toBe(429);
  });
});

describe('bodies', () => {
  it('may have been read by a parser in front', async () => {
    verifies('embed.parsed');
    const echo = defineRoute('POST', '/echo', { input: { name: Type.String() } }, ({ name }) => name);
    const { middleware } = await embedded({ routes: [echo] });
    const url = await serve((req, res) => {
      const parts: Buffer[] = [];
      req.on('data', (part: Buffer) => parts.push(part));
      req.on('end', () => {
        Object.assign(req, { body: JSON.parse(Buffer.concat(parts).toString()) });
        middleware(req, res, () => res.end('next'));
      });
    });
    const asked = request(`${url}/echo`, { method: 'POST', headers: { 'content-type': 'application/json' } });
    asked.end(JSON.stringify({ name: 'bo' }));
    const [answer] = (await once(asked, 'response')) as [AsyncIterable<Buffer> & { statusCode: number }];
    onTestFinished(() => void asked.destroy());
    let text = '';
    for await (const part of answer) text += String(part);
    expect([answer.statusCode, text]).toEqual([200, '"bo"']);
  });
});
