import { verifies } from '@waymark/contract/testing';
import { type Application, type ApplicationOptions, HTTPError, Type } from '@waymark/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Program, startProgram } from './program.ts';
import { application, secrets, serve } from './served.ts';
import { ask, type Header, handshake, type WireAnswer } from './wire/connection.ts';

const admin: Header = ['x-api-key', secrets.SHOP_KEY];
const other: Header = ['x-api-key', secrets.OTHER_KEY];
const host = (name: string): Header => ['host', name];
const elsewhere: Header = ['x-forwarded-for', '203.0.113.9'];
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** What browsers sign in with, which is open to every credential. */
const signingIn = [
  ...['GET /_svc/session', 'POST /_svc/session', 'DELETE /_svc/session', 'POST /_svc/session/end'],
  ...['GET /_svc/sign-in', 'GET /_svc/sign-in/style.css'],
];

const listings = ['openapi.json', 'tools', 'routes', 'audit', 'security'];

function get(port: number, target: string, ...headers: readonly Header[]): Promise<WireAnswer> {
  return ask(port, { target, headers });
}

function post(
  port: number,
  target: string,
  body: object,
  ...headers: readonly Header[]
): Promise<WireAnswer> {
  return ask(port, {
    target,
    headers: [...headers, ['content-type', 'application/json']],
    body: JSON.stringify(body),
  });
}

/** What a caller gets from everything below the prefix, and from two paths that lead nowhere. */
async function tour(port: number, ...headers: readonly Header[]): Promise<Readonly<Record<string, number>>> {
  const looks: readonly (readonly [string, Promise<WireAnswer>])[] = [
    ...['health', 'nothing', ...listings].map(
      (name) => [name, get(port, `/_svc/${name}`, ...headers)] as const,
    ),
    ['approvals', post(port, '/_svc/approvals/01JA', { approve: true }, ...headers)],
    ['mcp', post(port, '/_svc/mcp', ping, ...headers)],
  ];
  return Object.fromEntries(
    await Promise.all(looks.map(async ([name, look]) => [name, (await look).status] as const)),
  );
}

/** The same status everywhere but where it is said. */
function all(status: number, but: Readonly<Record<string, number>> = {}): object {
  const names = ['health', ...listings, 'nothing', 'approvals', 'mcp'];
  return { ...Object.fromEntries(names.map((name) => [name, status])), ...but };
}

const open = all(200, { nothing: 404, approvals: 404 });

function shop(options: ApplicationOptions = {}): Application {
  return application(options).get('/page', () => 'page');
}

function guarded(options: ApplicationOptions = {}): Application {
  return shop(options)
    .apiKey('SHOP_KEY', 'admin', { scopes: ['svc:admin'] })
    .apiKey('OTHER_KEY', 'assistant', { scopes: ['tools:use', 'notes:read'] });
}

describe('the control plane without authentication', () => {
  it('is open to loopback peers under an allowed Host', async () => {
    verifies('authority.control.allowed-host', 'http.host.allow-list');
    const { port } = await serve(
      shop({ publicUrl: 'https://desk.example', allowedHosts: ['desk.internal'] }),
    );
    for (const name of ['localhost', '127.0.0.1', '[::1]:8000', 'desk.example', 'desk.internal:99'])
      expect([name, await tour(port, host(name))]).toEqual([name, open]);
  });

  it('is closed under any other Host, and so is everything else', async () => {
    verifies('authority.control.allowed-host', 'http.host.without-authentication', 'http.host.says-option');
    const { port } = await serve(shop());
    for (const name of ['evil.example', 'localhost.evil.example', '127.0.0.1.nip.io', '203.0.113.9'])
      expect([name, await tour(port, host(name))]).toEqual([name, all(403)]);
    const page = await get(port, '/page', host('evil.example'));
    expect(page.status).toBe(403);
    expect(page.body).toContain('`allowedHosts`');
  });

  it('is closed to other machines, health included, and says what to configure', async () => {
    verifies('authority.control.loopback', 'authority.control.loopback-says');
    const { port } = await serve(shop({ trustProxy: 1 }));
    expect(await tour(port, elsewhere)).toEqual(all(403));
    expect((await get(port, '/_svc/routes', elsewhere)).body).toContain('declare an API key');
    expect((await get(port, '/page', elsewhere)).status).toBe(200);
    // A loopback address that somebody else claims is not one.
    expect(await tour(port, ['x-forwarded-for', '127.0.0.1, 203.0.113.9'])).toEqual(all(403));
  });

  it('stays so with scopes for anonymous callers, which are no authentication', async () => {
    verifies('authority.control.loopback');
    const { port } = await serve(shop({ trustProxy: 1 }).anonymousScopes('svc:admin'));
    expect(await tour(port, elsewhere)).toEqual(all(403));
    expect(await tour(port)).toEqual(open);
  });
});

describe('the control plane with authentication', () => {
  it('asks everybody for svc:admin, at known and unknown paths, and health of nobody', async () => {
    verifies(
      'authority.control.admin',
      'auth.control.admin',
      'auth.control.health',
      'http.order.control-first',
    );
    const { port } = await serve(guarded());
    expect(await tour(port)).toEqual(all(401, { health: 200 }));
    expect(await tour(port, other)).toEqual(all(403, { health: 200 }));
    expect(await tour(port, admin)).toEqual(open);
    expect(await tour(port, ['x-api-key', 'wrong-key-of-24-letters'])).toEqual(all(401, { health: 200 }));
    // An outsider cannot tell the two apart.
    const [known, unknown] = [await get(port, '/_svc/routes'), await get(port, '/_svc/nothing')];
    const { request_id: _known, ...refusal } = JSON.parse(known.body) as { request_id: string };
    expect(JSON.parse(unknown.body)).toMatchObject(refusal);
  });

  it('answers other machines and, health excepted, only allowed Hosts', async () => {
    verifies('http.host.allow-list', 'http.host.health', 'http.host.says-option');
    const { port } = await serve(guarded({ trustProxy: 1, allowedHosts: ['desk.internal'] }));
    expect(await tour(port, admin, elsewhere)).toEqual(open);
    expect(await tour(port, admin, host('desk.internal'))).toEqual(open);
    expect(await tour(port, admin, host('evil.example'))).toEqual(all(403, { health: 200 }));
    expect((await get(port, '/_svc/routes', admin, host('evil.example'))).body).toContain('`allowedHosts`');
    expect((await get(port, '/page', host('evil.example'))).status).toBe(200);
  });

  it('opens MCP and the tool listing alone by mcpScopes, which svc:admin does not replace', async () => {
    verifies('authority.control.mcp-scopes', 'authority.control.mcp-scopes.no-approvals');
    const { port } = await serve(guarded({ mcpScopes: ['tools:use'] }));
    expect(await tour(port)).toEqual(all(401, { health: 200 }));
    expect(await tour(port, other)).toEqual(all(403, { health: 200, mcp: 200, tools: 200 }));
    expect(await tour(port, admin)).toEqual({ ...open, mcp: 403, tools: 403 });
  });

  it('has svc:admin for mcpScopes where nothing is said, and no scope where none is listed', async () => {
    verifies('authority.control.mcp-scopes.default', 'authority.control.mcp-scopes');
    const { port } = await serve(guarded());
    expect(await tour(port, other)).toEqual(all(403, { health: 200 }));
    const everybody = await serve(guarded({ mcpScopes: [] }));
    expect(await tour(everybody.port)).toEqual(all(401, { health: 200, mcp: 200, tools: 200 }));
  });

  it('gives whoever came in by mcpScopes their own tools and no others', async () => {
    verifies('auth.mcp.list-filtered', 'auth.mcp.own-authority', 'authority.control.mcp-scopes');
    const app = guarded({ mcpScopes: ['tools:use'] });
    app.get('/notes', { tool: true, scopes: ['notes:read'] }, () => 'notes');
    app.get('/ledger', { tool: true, scopes: ['ledger:read'] }, () => 'ledger');
    const { port } = await serve(app);
    const rpc = async (method: string, params: object = {}): Promise<string> =>
      (await post(port, '/_svc/mcp', { jsonrpc: '2.0', id: 1, method, params }, other)).body;
    const names = (text: string): unknown =>
      (JSON.parse(text) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
    expect(names(await rpc('tools/list'))).toEqual(['get_notes']);
    expect((await get(port, '/_svc/tools', other)).body).not.toContain('ledger');
    expect(await rpc('tools/call', { name: 'get_notes', arguments: {} })).toContain('"isError":false');
    expect(await rpc('tools/call', { name: 'get_ledger', arguments: {} })).toContain(
      'tool get_ledger failed with 403: missing scope \\"ledger:read\\"',
    );
  });
});

interface Event {
  readonly id: string;
  readonly at_ms: number;
  readonly kind: string;
  readonly via: string;
  readonly route: string;
  readonly principal: string;
  readonly status: number;
  readonly duration_ms: number;
}

describe('the audit listing', () => {
  const desk = (): Application => {
    const app = application()
      .apiKey('SHOP_KEY', 'admin', { scopes: ['svc:admin', 'notes:read', 'notes:purge'] })
      .apiKey('OTHER_KEY', 'assistant', { scopes: ['svc:admin'] });
    app.get('/quiet', () => 'no tool');
    app.post(
      '/notes/purge',
      { tool: true, toolName: 'purge', approval: 'required', scopes: ['notes:purge'] },
      () => 1,
    );
    return app.get(
      '/notes/{id}',
      { tool: true, toolName: 'note', scopes: ['notes:read'], input: { id: Type.Integer() } },
      ({ id }) => {
        if (id === 0) throw new HTTPError(404, 'there is no note 0');
        return id;
      },
    );
  };
  const call = (name: string, given: object): object => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given },
  });

  /** Events once so many are written, newest first. */
  async function events(port: number, count: number, query = ''): Promise<readonly Event[]> {
    const list = async (): Promise<readonly Event[]> =>
      (JSON.parse((await get(port, `/_svc/audit${query}`, admin)).body) as { events: Event[] }).events;
    await expect.poll(async () => (await list()).length).toBe(count);
    return list();
  }

  it('has one event for each use of a tool, by HTTP and by MCP, refused or not', async () => {
    verifies('audit.members', 'audit.kind.tool-called', 'audit.kind.tool-refused', 'audit.one-per-use');
    verifies('door.equal-audit', 'gate.mcp.audited', 'control.audit');
    const { port } = await serve(desk());
    const beforeMs = Date.now();
    const uses: readonly (readonly [() => Promise<WireAnswer>, string])[] = [
      [() => get(port, '/notes/1', admin), 'tool_called http note admin 200'],
      [() => post(port, '/_svc/mcp', call('note', { id: 1 }), admin), 'tool_called mcp note admin 200'],
      [() => get(port, '/notes/0', admin), 'tool_called http note admin 404'],
      [() => post(port, '/_svc/mcp', call('note', { id: 0 }), admin), 'tool_called mcp note admin 404'],
      [() => get(port, '/notes/x', admin), 'tool_called http note admin 422'],
      [() => post(port, '/_svc/mcp', call('note', { id: 'x' }), admin), 'tool_called mcp note admin 422'],
      [() => get(port, '/notes/1', other), 'tool_refused http note assistant 403'],
      [() => post(port, '/_svc/mcp', call('note', { id: 1 }), other), 'tool_refused mcp note assistant 403'],
      [() => get(port, '/notes/1'), 'tool_refused http note anonymous 401'],
      [() => post(port, '/notes/purge', {}, admin), 'tool_called http purge admin 200'],
      [() => post(port, '/_svc/mcp', call('purge', {}), admin), 'tool_refused mcp purge admin 403'],
      [() => post(port, '/_svc/mcp', call('purge', {}), other), 'tool_refused mcp purge assistant 403'],
    ];
    for (const [use] of uses) await use();
    // No use of a tool: another route, a tool that is not there, a wrong credential, the listings themselves.
    await get(port, '/quiet', admin);
    await post(port, '/_svc/mcp', call('nothing', {}), admin);
    await get(port, '/notes/1', ['x-api-key', 'wrong-key-of-24-letters']);
    await get(port, '/_svc/tools', admin);

    const all = (await events(port, uses.length + 1)).toReversed();
    // The wrong credential has an event of its own, and is no use of the tool.
    expect(all.at(-1)).toMatchObject({ kind: 'auth_refused', via: 'http', path: '/notes/1' });
    const listed = all.slice(0, -1);
    expect(
      listed.map(
        ({ kind, via, route, principal, status }) => `${kind} ${via} ${route} ${principal} ${status}`,
      ),
    ).toEqual(uses.map(([, line]) => line));
    for (const { id, at_ms, duration_ms, ...rest } of listed) {
      expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
      expect(at_ms).toBeGreaterThanOrEqual(beforeMs);
      expect(at_ms).toBeLessThanOrEqual(Date.now());
      expect(duration_ms).toBeGreaterThanOrEqual(0);
      expect(Object.keys(rest).sort()).toEqual(['kind', 'principal', 'route', 'status', 'via']);
    }
    const ids = listed.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
  });

  it('can be filtered by kind and run, and read on from a cursor', async () => {
    verifies('audit.filters');
    const { port } = await serve(desk());
    for (let i = 1; i <= 5; i++) await get(port, `/notes/${i}`, admin);
    await get(port, '/notes/1', other);
    const everything = await events(port, 6);
    expect(await events(port, 5, '?kind=tool_called')).toEqual(everything.slice(1));
    expect(await events(port, 1, '?kind=tool_refused')).toEqual(everything.slice(0, 1));
    expect(await events(port, 0, '?kind=insight')).toEqual([]);
    const foreign = await get(port, '/_svc/audit?kind=bell_rung', admin);
    expect([foreign.status, foreign.body]).toEqual([422, expect.stringContaining('there are tool_called')]);
    const misspelt = await get(port, '/_svc/audit?kind=tool_call', admin);
    expect([misspelt.status, misspelt.body]).toEqual([422, expect.stringContaining('did you mean')]);
    expect(await events(port, 0, '?run_id=01ARZ3NDEKTSV4RRFFQ69G5FAV.0')).toEqual([]);
    const read: Event[] = [];
    let target: string | undefined = '/_svc/audit?limit=4';
    const sizes: number[] = [];
    while (target !== undefined) {
      const page = JSON.parse((await get(port, target, admin)).body) as { events: Event[]; next?: string };
      read.push(...page.events);
      sizes.push(page.events.length);
      target = page.next === undefined ? undefined : `/_svc/audit?limit=4&before=${page.next}`;
    }
    expect(sizes).toEqual([4, 2]);
    expect(read).toEqual(everything);
    expect((await get(port, '/_svc/audit?knd=tool_called', admin)).status).toBe(422);
    expect((await get(port, '/_svc/audit?limit=0', admin)).status).toBe(422);
  });
});

/** A security report, as far as it is looked at here. */
interface Report {
  readonly auth_configured: boolean;
  readonly public_surface: readonly {
    readonly method: string;
    readonly path: string;
    readonly writes: boolean;
  }[];
  readonly gated_tools: readonly { readonly name: string }[];
  readonly limits: readonly { readonly name: string; readonly value: number | string }[];
  readonly warnings: readonly { readonly text: string; readonly fix: string | null }[];
  readonly notes: readonly { readonly text: string; readonly fix: string | null }[];
}

async function security(port: number): Promise<Report> {
  return JSON.parse((await get(port, '/_svc/security', admin)).body) as Report;
}

describe('the security report of an application with unsafe choices', () => {
  const file = 'programs/exposed-desk.ts';
  const env = { OPERATOR_KEY: secrets.SHOP_KEY, READER_KEY: secrets.OTHER_KEY, LOG_LEVEL: 'silent' };
  const cwd = import.meta.dirname;
  let program: Program;
  let port: number;
  let report: Report;
  beforeAll(async () => {
    program = startProgram('apps/server/bin/waymark.js', { cwd, env, argv: ['start', file, '--port', '0'] });
    const [, found] = await program.saying(/url +http:\/\/127\.0\.0\.1:(\d+)\n/);
    port = Number(found);
    report = await security(port);
  });
  afterAll(async () => {
    program.child.kill('SIGTERM');
    await program.ended();
  });

  async function waymark(...argv: readonly string[]): Promise<string> {
    const run = startProgram('apps/server/bin/waymark.js', { cwd, env, argv });
    expect([await run.ended(), run.stderr()]).toEqual([0, '']);
    return run.stdout();
  }

  it('is the same from the listing and from `waymark security`', async () => {
    verifies('control.security', 'security.members');
    expect(JSON.parse(await waymark('security', file, '--json'))).toEqual(report);
  });

  it('reads well on a terminal, and leaves nothing out', async () => {
    verifies('security.members', 'security.limits', 'security.warnings');
    const said = await waymark('security', file);
    for (const { method, path } of report.public_surface) expect(said).toContain(`\n  ${method} ${path}`);
    for (const { name } of report.gated_tools) expect(said).toContain(`\n  ${name}  POST /notes/`);
    for (const { name, value } of report.limits) expect(said).toContain(`\n  ${name}  ${value}`);
    for (const { text, fix } of [...report.warnings, ...report.notes])
      expect(said).toContain(`\n  ${text}\n    fix: ${fix}`);
    expect(said).not.toContain(secrets.SHOP_KEY);
  });

  it('names exactly the routes that answer somebody without a credential', async () => {
    verifies('security.members', 'control.security');
    const { routes } = JSON.parse((await get(port, '/_svc/routes', admin)).body) as {
      routes: { method: string; path: string; engine: string }[];
    };
    const answering: string[] = [];
    for (const { method, path, engine } of routes) {
      const target = path.replace('{id}', '1');
      const headers = engine === 'device' ? handshake : [];
      const { status } = await ask(port, { method, target, headers });
      // Whoever may ask for files of a page is told that there is none of this name.
      expect(status === 404).toBe(path.endsWith('/{file}'));
      // There somebody without a credential may bring one in the body.
      const judges = `${method} ${path}` === 'POST /_svc/session';
      if (status !== 401 || judges) answering.push(`${method} ${path}`);
    }
    expect(report.public_surface.map(({ method, path }) => `${method} ${path}`)).toEqual(answering);
    expect(answering).toEqual([
      ...['GET /', 'GET /notes', 'POST /notes', 'POST /notes/purge', 'GET /open-feed', 'GET /_svc/health'],
      ...['GET /_svc/docs', 'GET /_svc/docs/{version}/{file}'],
      ...signingIn,
      ...['GET /_svc/console', 'GET /_svc/console/{version}/{file}'],
    ]);
    expect(report.gated_tools.map(({ name }) => name)).toEqual(['purge_notes', 'burn_notes']);
  });

  it('warns of each unsafe choice and says how to settle it', () => {
    verifies('security.warnings');
    const found = report.warnings.map(({ text, fix }) => `${text} → ${fix}`);
    expect(found.toSorted()).toEqual(
      [
        'POST /notes changes state and answers anybody → give it scopes',
        'gated tool "purge_notes" answers anybody who calls POST /notes/purge directly: only agents are made to wait → give it scopes',
        'nobody reaches POST /notes/burn: scope "notes:burn" is granted to nobody → grant it to an API key, or correct the scopes of the route',
        'API key "reader" holds "notes:raed", which no route needs (did you mean "notes:read"?) → correct it, or take it out of the key',
        'cors lets the pages of any origin read answers → name the origins in cors',
        'trustProxy believes every peer: callers choose the address by which they are limited and logged → give trustProxy the addresses of the proxies, or how many there are',
        'security headers are disabled → remove enabled: false from securityHeaders',
        'no rate limit is in force → declare a rateLimit',
        'PUT /archive takes bodies of any size → set its maxBodyBytes',
        'GET /forever may take for ever → set its timeoutMs',
      ].toSorted(),
    );
    expect(report.notes.map(({ text }) => text)).toEqual([
      'API key "operator" holds "svc:admin" beside other scopes: who learns it can also approve what it asks for',
    ]);
  });
});

describe('the security report', () => {
  it('lists the limits in force, as they are set', async () => {
    verifies('security.limits');
    const limits = async (app: Application): Promise<Readonly<Record<string, number | string>>> => {
      const { port } = await serve(app.apiKey('SHOP_KEY', 'admin', { scopes: ['svc:admin'] }));
      return Object.fromEntries((await security(port)).limits.map(({ name, value }) => [name, value]));
    };
    expect(await limits(application())).toMatchObject({
      ...{ request_timeout: 30, agent_timeout: 600, shutdown_timeout: 25 },
      ...{ rate_limit: 'none', failure_limit: 20, failure_limit_burst: 200, body: 1_048_576 },
      ...{ header_size: 16_384, header_count: 100, header_time: 10, keep_alive: 75, sockets: 100 },
    });
    const failureLimit = { perSecond: 7, burst: 70 };
    const options = { requestTimeout: 3, agentTimeout: 60, shutdownTimeout: 2, failureLimit };
    expect(await limits(application(options).rateLimit(9))).toMatchObject({
      ...{ request_timeout: 3, agent_timeout: 60, shutdown_timeout: 2 },
      ...{ rate_limit: 9, failure_limit: 7, failure_limit_burst: 70 },
    });
  });

  it('has nothing to warn of in an application that is in order', async () => {
    verifies('security.warnings');
    const app = application().apiKey('SHOP_KEY', 'admin', { scopes: ['svc:admin'] });
    app.apiKey('OTHER_KEY', 'reader', { scopes: ['notes:read'] }).rateLimit();
    app.get('/notes', { scopes: ['notes:read'] }, () => []);
    const { port } = await serve(app);
    const report = await security(port);
    expect([report.warnings, report.notes]).toEqual([[], []]);
    expect(report.public_surface.map(({ method, path }) => `${method} ${path}`)).toEqual([
      ...['GET /_svc/health', 'GET /_svc/docs', 'GET /_svc/docs/{version}/{file}'],
      ...signingIn,
      ...['GET /_svc/console', 'GET /_svc/console/{version}/{file}'],
    ]);
    expect(report.auth_configured).toBe(true);
  });
});
