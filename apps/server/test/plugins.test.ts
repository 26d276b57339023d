import { createServer } from 'node:net';
import { defineRoute } from '@waymark/contract';
import type { Host } from '@waymark/contract/engine';
import { HTTPError, type Plugin, Type } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { application, ask, serve } from './serve.ts';

/** A plugin that writes down what happens to it. */
function noting(name: string, order: string[], more: Partial<Plugin> = {}): Plugin {
  return {
    name,
    routes: [],
    start: () => void order.push(`start ${name}`),
    stop: () => void order.push(`stop ${name}`),
    ...more,
  };
}

describe('application.add', () => {
  it('takes routes made with the functions of packages', async () => {
    const app = application().add(
      defineRoute('GET', '/maps/{id}', { input: { id: Type.Integer() } }, ({ id }) => id),
      defineRoute('GET', '/maps', {}, () => 'maps'),
    );
    const { url } = await serve(app);
    expect((await ask(`${url}/maps/7`)).body).toBe(7);
    expect((await ask(`${url}/maps`)).body).toBe('maps');
  });

  it('serves the routes of plugins, and lists them in the order of declaration', async () => {
    const route = defineRoute('GET', '/from-plugin', { tool: true }, () => 'plugin');
    const app = application()
      .add(noting('maps', [], { routes: [route] }))
      .get('/own', { tool: true }, () => 'own');
    const { url, report } = await serve(app);
    expect((await ask(`${url}/from-plugin`)).body).toBe('plugin');
    expect(report.counts).toEqual({ routes: app.table.size, tools: 2 });
    expect((await ask(`${url}/_svc/tools`)).body).toMatchObject({
      tools: [{ name: 'get_own' }, { name: 'get_from_plugin' }],
    });
  });

  it('starts plugins in order before the first request, and stops them in the opposite order', async () => {
    const order: string[] = [];
    const slow = noting('slow', order, {
      start: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        order.push('start slow');
      },
    });
    const { close } = await application().add(slow, noting('b', order)).add(noting('c', order)).listen();
    expect(order).toEqual(['start slow', 'start b', 'start c']);
    await close();
    expect(order.slice(3)).toEqual(['stop c', 'stop b', 'stop slow']);
  });

  it('does not listen when a plugin fails to start, and stops those that have started', async () => {
    const order: string[] = [];
    let host: Host | undefined;
    const app = application().add(
      noting('a', order, {
        start: (given) => {
          host = given;
          order.push('start a');
        },
      }),
      noting('b', order, {
        start: () => {
          throw new Error('no camera');
        },
      }),
      noting('c', order),
    );
    const error = (await app.listen().catch((reason: unknown) => reason)) as Error;
    expect(error.message).toBe('plugin "b" failed to start');
    expect((error.cause as Error).message).toBe('no camera');
    expect(order).toEqual(['start a', 'stop a']);
    // Whatever it had put off does not happen any more.
    expect(host?.signal.aborted).toBe(true);
  });

  it('stops the plugins again when the port is taken', async () => {
    const order: string[] = [];
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const app = application({ port }).add(noting('a', order));
    await expect(app.listen()).rejects.toThrow(`cannot listen on 127.0.0.1 port ${port}: the port is in use`);
    expect(order).toEqual(['start a', 'stop a']);
    await new Promise((resolve) => other.close(resolve));
    await (await app.listen()).close();
    expect(order).toEqual(['start a', 'stop a', 'start a', 'stop a']);
  });

  it('reports what a plugin needs and the application does not have, before anything starts', () => {
    const order: string[] = [];
    const app = application().add(noting('a', order, { needs: ['runner', 'database'] }));
    // Every application has a runner.
    expect(app.check()).toMatchObject([
      { declaration: 'plugin "a"', rule: 'needs a database, and the application has none' },
    ]);
    expect(order).toEqual([]);
  });

  it('asks each plugin what is wrong, showing it the whole table and the variables', async () => {
    const problem = { declaration: 'camera "door"', rule: 'unknown agent "guard"', at: 'src/app.ts:3' };
    const seen: unknown[] = [];
    const checking = noting('cameras', [], {
      check: ({ table, env }) => {
        seen.push(table.get('get_later')?.path, env('SECRET_NAME'));
        return [problem];
      },
    });
    const app = application({}, { SECRET_NAME: 'x' })
      .add(checking)
      .get('/later', () => 1)
      .get('bad', () => 1);
    expect(app.check()).toEqual([expect.objectContaining({ declaration: 'route GET bad' }), problem]);
    expect(seen).toEqual(['/later', 'x']);
    await expect(app.listen()).rejects.toThrow('src/app.ts:3  camera "door": unknown agent "guard"');
  });

  it('counts what plugins count in health', async () => {
    const app = application().add(
      noting('devices', [], { gauges: () => ({ devices: 3 }) }),
      noting('watchers', [], { gauges: () => ({ watchers: 2, sessions: 1 }) }),
    );
    const { url } = await serve(app);
    expect((await ask(`${url}/_svc/health`)).body).toMatchObject({
      ...{ devices: 3, watchers: 2, sessions: 1, pending_approvals: 0 },
    });
  });

  it('shows the warnings of plugins in the startup report, with their fix', async () => {
    const warning = {
      severity: 'warning',
      text: 'agent "guard" is open to everybody',
      fix: 'set scopes',
    } as const;
    const findings = () => [warning, { severity: 'info', text: 'nothing to worry about' } as const];
    const { report } = await serve(
      application()
        .apiKey('SHOP_KEY', 'shop')
        .add(noting('agents', [], { findings })),
    );
    expect(report.warnings).toEqual([warning]);
  });

  it('lets guards refuse calls', async () => {
    const guard = noting('closed', [], {
      guards: [({ route }) => (route.path === '/a' ? new HTTPError(409, 'not now') : undefined)],
    });
    const app = application()
      .add(guard)
      .get('/a', () => 1)
      .get('/b', () => 1);
    const { url } = await serve(app);
    expect(await ask(`${url}/a`)).toMatchObject({ status: 409, body: { detail: 'not now' } });
    expect((await ask(`${url}/b`)).status).toBe(200);
  });

  it('gives plugins a host that calls the same routes', async () => {
    let host: Host | undefined;
    const app = application({}, { NAME: 'value' }).get('/maps', () => 'maps');
    const start = (given: Host): void => {
      host = given;
    };
    await serve(app.add(noting('caller', [], { start })));
    const route = host?.table.get('get_maps');
    if (!host || !route) throw new Error('the plugin was not started');
    const principal = { id: 'me', rootId: 'me', authenticated: true, scopes: [] };
    const call = {
      route,
      principal,
      via: 'watcher',
      requestId: 'r',
      input: { by: 'arguments', values: {} },
    } as const;
    expect(await host.dispatcher.dispatch(call)).toMatchObject({ status: 200, body: { text: '"maps"' } });
    expect([host.env('NAME'), host.signal.aborted]).toEqual(['value', false]);
  });
});
