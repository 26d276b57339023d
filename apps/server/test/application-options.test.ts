import { availableParallelism, networkInterfaces } from 'node:os';
import { verifies } from '@waymark/contract/testing';
import { createApplication, DeclarationError } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { application, ask, deferred, otherSecret, rpc, secret, serve } from './serve.ts';

const admin = { scopes: ['svc:admin'] };

describe('an application', () => {
  it('is made from a name alone, and starts without database and templates', async () => {
    verifies(
      'app.constructor',
      'app.option.database.default',
      'app.option.templates.default',
      'version.reported',
    );
    const { url, report } = await serve(application());
    expect((await ask(`${url}/_svc/health`)).body).toMatchObject({
      status: 'ok',
      app: 'shop',
      version: '0.1.0',
    });
    expect(report.state).toBe('in memory: gone when the process stops');
  });

  it('has an empty description, which says nothing anywhere', async () => {
    verifies('app.option.description.default');
    const { url } = await serve(application());
    const { body } = await ask(`${url}/_svc/openapi.json`);
    expect((body as { info: object }).info).toEqual({ title: 'shop', version: '0.1.0' });
    expect(await rpc(url, 'initialize', { protocolVersion: '2025-06-18' })).not.toHaveProperty(
      'instructions',
    );
  });

  it('takes an option that is undefined for one that is left out', async () => {
    const left = {
      version: undefined,
      controlPrefix: undefined,
      requestTimeout: undefined,
      mcpScopes: undefined,
    };
    const { url } = await serve(application(left as object));
    expect((await ask(`${url}/_svc/health`)).body).toMatchObject({ version: '0.1.0' });
  });
});

describe('the option', () => {
  it('description is shown in the OpenAPI document and to MCP clients', async () => {
    verifies('app.option.description');
    const { url } = await serve(application({ description: 'Sells maps.' }));
    const { body } = await ask(`${url}/_svc/openapi.json`);
    expect(body).toMatchObject({ info: { title: 'shop', description: 'Sells maps.' } });
    expect(await rpc(url, 'initialize', { protocolVersion: '2025-06-18' })).toMatchObject({
      instructions: 'Sells maps.',
    });
  });

  it('version is what health, the document and MCP report; no path carries it', async () => {
    verifies(
      'app.option.version',
      'version.reported',
      'version.health',
      'version.info',
      'version.server-info',
      'version.openapi',
      'version.no-path',
    );
    const app = application({ version: '4.5.6' }).get('/maps', () => []);
    const { url, report } = await serve(app);
    expect((await ask(`${url}/_svc/health`)).body).toMatchObject({ version: '4.5.6' });
    const document = (await ask(`${url}/_svc/openapi.json`)).body as {
      openapi: string;
      info: object;
      paths: object;
    };
    expect(document.info).toMatchObject({ version: '4.5.6' });
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(await rpc(url, 'initialize')).toMatchObject({ serverInfo: { name: 'shop', version: '4.5.6' } });
    expect(report.version).toBe('4.5.6');
    expect(Object.keys(document.paths)).toContain('/maps');
    expect(Object.keys(document.paths).join()).not.toMatch(/\/v\d|4\.5/);
  });

  it('port is where it listens; 0 is any free one', async () => {
    verifies('app.option.port');
    const first = await application().listen();
    const { port } = first;
    await first.close();
    const { url } = await serve(application({ port }));
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect((await ask(`${url}/_svc/health`)).status).toBe(200);
  });

  it('host is the address that is bound, and no other', async () => {
    verifies('app.option.host');
    const { url, port } = await serve(application({ host: '127.0.0.2' }));
    expect(url).toBe(`http://127.0.0.2:${port}`);
    expect((await ask(`${url}/_svc/health`)).status).toBe(200);
    await expect(fetch(`http://127.0.0.1:${port}/_svc/health`)).rejects.toThrow();
  });

  it('host may be an IPv6 address', async () => {
    const { url, port } = await serve(application({ host: '::1' }));
    expect(url).toBe(`http://[::1]:${port}`);
    expect((await ask(`${url}/_svc/health`)).status).toBe(200);
  });

  it('controlPrefix moves everything below it, and changes no name', async () => {
    verifies('app.option.control-prefix', 'app.option.control-prefix.default', 'product.wire-constants');
    const moved = await serve(
      application({ controlPrefix: '/ops/control' }).get('/maps', { tool: true }, () => []),
    );
    const usual = await serve(application().get('/maps', { tool: true }, () => []));
    expect(moved.report).toMatchObject({
      mcpUrl: `${moved.url}/ops/control/mcp`,
      openapiUrl: `${moved.url}/ops/control/openapi.json`,
    });
    for (const path of ['health', 'openapi.json', 'tools', 'routes']) {
      expect((await ask(`${moved.url}/ops/control/${path}`)).status).toBe(200);
      expect((await ask(`${moved.url}/_svc/${path}`)).status).toBe(404);
      expect((await ask(`${usual.url}/_svc/${path}`)).status).toBe(200);
    }
    expect(await rpc(moved.url, 'tools/list', {}, { prefix: '/ops/control' })).toMatchObject({
      tools: [{ name: 'get_maps' }],
    });
    const operations = async (url: string, prefix: string): Promise<Record<string, string>> => {
      const { body } = await ask(`${url}${prefix}/openapi.json`);
      const { paths } = body as { paths: Record<string, Record<string, { operationId: string }>> };
      const rows = Object.entries(paths).map(([path, item]) => [
        path.replace(prefix, '<prefix>'),
        Object.values(item)[0]?.operationId ?? '',
      ]);
      return Object.fromEntries(rows) as Record<string, string>;
    };
    const names = await operations(moved.url, '/ops/control');
    expect(names).toEqual(await operations(usual.url, '/_svc'));
    expect(names).toMatchObject({ '<prefix>/mcp': expect.any(String) as string, '/maps': 'get_maps' });
  });

  it('controlPrefix is guarded wherever it is', async () => {
    const app = application({ controlPrefix: '/ops' }).apiKey('SHOP_KEY', 'shop', admin);
    const { url } = await serve(app);
    expect((await ask(`${url}/ops/tools`)).status).toBe(401);
    expect((await ask(`${url}/ops/nothing-there`)).status).toBe(401);
    expect((await ask(`${url}/ops/tools`, { key: secret })).status).toBe(200);
    expect((await ask(`${url}/ops/health`)).status).toBe(200);
  });

  it('requestTimeout, in seconds, ends a request, and tells its handler', async () => {
    verifies(
      'app.option.request-timeout',
      'limit.request-timeout',
      'http.order.timeout',
      'http.status.504',
      'http.timeout.signal',
    );
    const told = deferred<unknown>();
    const app = application({ requestTimeout: 0.05 });
    app.get('/stuck', (_input, { signal }) => {
      signal.addEventListener('abort', () => told.resolve(signal.reason));
      return new Promise(() => {});
    });
    const { url } = await serve(app);
    expect(await ask(`${url}/stuck`)).toMatchObject({
      status: 504,
      type: 'application/problem+json',
      body: { status: 504, title: 'Gateway Timeout', detail: 'timed out after 0.05 s', code: 'timeout' },
    });
    expect(await told.promise).toMatchObject({ status: 504 });
  });

  it('requestTimeout leaves alone what ends in time, and a route can have its own', async () => {
    const app = application({ requestTimeout: 0.05 });
    app.get('/quick', () => 'quick');
    app.get('/slow', { timeoutMs: 5000 }, () => new Promise((resolve) => setTimeout(resolve, 80, 'slow')));
    const { url } = await serve(app);
    expect((await ask(`${url}/quick`)).body).toBe('quick');
    expect((await ask(`${url}/slow`)).body).toBe('slow');
  });

  it('requestTimeout ends tool calls too', async () => {
    verifies('http.timeout.tools');
    const told = deferred();
    const app = application({ requestTimeout: 0.05 });
    app.get('/stuck', { tool: true }, (_input, { signal }) => {
      signal.addEventListener('abort', () => told.resolve());
      return new Promise(() => {});
    });
    const { url } = await serve(app);
    expect(await rpc(url, 'tools/call', { name: 'get_stuck' })).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'tool get_stuck failed with 504: timed out after 0.05 s' }],
    });
    await told.promise;
  });

  it.each([0.0005, 0.57, 2_000_000])(
    'requestTimeout and shutdownTimeout may be %d seconds',
    async (seconds) => {
      const app = application({ requestTimeout: seconds, shutdownTimeout: seconds, agentTimeout: seconds });
      const { url } = await serve(app.get('/', () => 'here'));
      expect((await ask(url)).body).toBe('here');
    },
  );

  it('strictQuery refuses undeclared query names on every route that does not say', async () => {
    verifies('http.unknown.strict-query', 'http.unknown.query');
    const app = application({ strictQuery: true });
    app.get('/strict', () => 1).get('/lax', { strictQuery: false }, () => 1);
    const { url } = await serve(app);
    expect(await ask(`${url}/strict?colour=red`)).toMatchObject({
      status: 422,
      body: { errors: [{ path: '/colour' }] },
    });
    expect((await ask(`${url}/lax?colour=red`)).status).toBe(200);
    expect((await ask(`${url}/_svc/health?live`)).status).toBe(200);
  });

  it('strictQuery is off by default, and a route can switch it on', async () => {
    const app = application();
    app.get('/lax', (_input, { query }) => query['colour']).get('/strict', { strictQuery: true }, () => 1);
    const { url } = await serve(app);
    expect((await ask(`${url}/lax?colour=red`)).body).toBe('red');
    expect((await ask(`${url}/strict?colour=red`)).status).toBe(422);
  });

  it('mcpScopes lets ordinary keys use MCP and the tool listing, and nothing else of the control plane', async () => {
    const app = application({ mcpScopes: ['tools:use'] });
    app.apiKey('SHOP_KEY', 'shop', { scopes: ['tools:use'] }).apiKey('OTHER_KEY', 'other', admin);
    app.get('/maps', { tool: true }, () => []);
    const { url } = await serve(app);
    expect(await rpc(url, 'tools/list', {}, { key: secret })).toMatchObject({
      tools: [{ name: 'get_maps' }],
    });
    expect((await ask(`${url}/_svc/tools`, { key: secret })).status).toBe(200);
    expect((await ask(`${url}/_svc/routes`, { key: secret })).status).toBe(403);
    expect((await ask(`${url}/_svc/tools`, { key: otherSecret })).status).toBe(403);
    const { body } = await ask(`${url}/_svc/openapi.json`, { key: otherSecret });
    expect(body).toMatchObject({
      paths: {
        '/_svc/mcp': { post: { security: [{ apiKey: ['tools:use'] }] } },
        '/_svc/tools': { get: { security: [{ apiKey: ['tools:use'] }] } },
        '/_svc/routes': { get: { security: [{ apiKey: ['svc:admin'] }] } },
      },
    });
  });

  it('workers is one for each CPU where nothing is said, and never more over a database in memory', () => {
    verifies('scale.memory', 'app.option.workers.default');
    expect(application().plan().processes).toBe(availableParallelism());
    expect(application().plan({ workers: 5 }).processes).toBe(5);
    expect(application({ workers: 3 }).plan().processes).toBe(3);
    const env = { WAYMARK_WORKERS: '4' };
    expect(createApplication('shop', { workers: 3, env }).plan().processes).toBe(4);
    const most = availableParallelism() * 32;
    expect(application({ workers: most }).check()).toEqual([]);
    expect(application({ workers: most + 1 }).check()).toMatchObject([{ code: 'setting-workers' }]);
    const several = createApplication('shop', { database: ':memory:', workers: 2, env: {} });
    expect(several.check()).toMatchObject([{ code: 'workers-memory' }]);
  });

  it('workers is for waymark start, and a program that listens is one process', async () => {
    verifies('app.option.workers');
    const { url, report } = await serve(application({ workers: 3 }));
    expect(report.processes).toBe('1 process (3 workers are for waymark start)');
    expect((await ask(`${url}/_svc/health`)).status).toBe(200);
  });

  it('env is where variables are read, and no other place', async () => {
    const app = createApplication('shop', { port: 0, env: { LOG_LEVEL: 'silent' } }).apiKey('PATH', 'path');
    await expect(app.listen()).rejects.toThrow('the variable PATH is not set');
  });
});

describe('who may connect', () => {
  const everywhere = { host: '0.0.0.0' };
  const elsewhere = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

  it.each(['0.0.0.0', '::', '192.0.2.77', '10.0.0.1'])(
    'refuses to bind %s without authentication',
    async (host) => {
      verifies('authority.control.bind');
      const error = await application({ host })
        .listen()
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(DeclarationError);
      expect((error as DeclarationError).problems).toMatchObject([
        {
          rule: `host ${host} is reachable from elsewhere and no authentication is configured`,
          fix: 'declare an apiKey or a jwt, bind 127.0.0.1, or set allowUnauthenticated: true',
        },
      ]);
    },
  );

  it('blames the variable that says which address to bind', () => {
    verifies('config.blame', 'authority.control.bind');
    const problems = (name: string, host: string) =>
      createApplication('shop', { env: { [name]: host } }).check();
    for (const name of ['WAYMARK_HOST', 'HOST'])
      expect(problems(name, '0.0.0.0')).toMatchObject([
        {
          code: 'host-exposed',
          declaration: 'environment',
          rule: `${name}=0.0.0.0 is reachable from elsewhere and no authentication is configured`,
        },
      ]);
    expect(problems('WAYMARK_HOST', '[::1]')).toEqual([]);
  });

  it('binds every address once one key is declared', async () => {
    verifies('authority.control.configured', 'authority.control.admin');
    const { url, port } = await serve(application(everywhere).apiKey('SHOP_KEY', 'shop'));
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect((await ask(`${url}/_svc/tools`)).status).toBe(401);
    expect((await ask(`${url}/_svc/tools`, { key: secret })).status).toBe(403);
    expect((await ask(`${url}/_svc/mcp`, { key: secret, body: {} })).status).toBe(403);
    expect((await ask(`${url}/_svc/health`)).status).toBe(200);
  });

  it('answers the control plane to this machine, without authentication', async () => {
    verifies('authority.control.loopback');
    const { url } = await serve(application());
    for (const path of ['health', 'tools', 'routes', 'openapi.json'])
      expect((await ask(`${url}/_svc/${path}`)).status).toBe(200);
  });

  // Needs an address of this machine that is not loopback.
  it.skipIf(elsewhere === undefined)(
    'keeps the control plane closed to others with allowUnauthenticated',
    async () => {
      verifies(
        'authority.control.allow-unauthenticated',
        'authority.control.loopback',
        'authority.control.loopback-says',
      );
      const app = application({ ...everywhere, allowUnauthenticated: true }).get('/maps', () => 'maps');
      const { url, port } = await serve(app);
      const outside = `http://${elsewhere}:${port}`;
      expect((await ask(`${outside}/maps`)).body).toBe('maps');
      for (const path of ['health', 'tools', 'mcp', 'openapi.json', 'nothing-there'])
        expect(await ask(`${outside}/_svc/${path}`)).toMatchObject({
          status: 403,
          body: { detail: expect.stringContaining('declare an API key') as string },
        });
      expect((await ask(`${url}/_svc/tools`)).status).toBe(200);
    },
  );
});
