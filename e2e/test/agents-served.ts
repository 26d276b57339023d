import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { agent, context, createAgents } from '@waymark/agents';
import { apiKey, createAuthenticate } from '@waymark/auth';
import { createRouteTable, defineRoute, image, type Json, Type } from '@waymark/contract';
import { type ScriptedReply, scriptedModel } from '@waymark/contract/testing';
import { controlRule } from '@waymark/control-plane';
import { createDispatcher, createHost, createIds, startPlugins } from '@waymark/core-routes';
import { openDatabase, sqlRunStore, sqlSessionStore } from '@waymark/data';
import { createDoor } from '@waymark/http';
import { mcpRoute } from '@waymark/mcp';
import { createRunner } from '@waymark/runs';
import { onTestFinished } from 'vitest';

const key = 'a-key-of-more-than-16-bytes';

/** The smallest picture there is. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A desk of agents behind a listening server: the engine of runs, dispatcher, HTTP and MCP are the real ones. */
export async function serveAgents(replies: readonly ScriptedReply[]) {
  const tools = { tool: true } as const;
  const database = await openDatabase(':memory:');
  const runner = createRunner({ store: sqlRunStore(database), sessions: sqlSessionStore(database) });
  const plugin = createAgents([
    agent('front', {
      ...{ tools: ['look', 'pay', 'inner', 'camera'], handoffs: ['back'], context: ['facts'] },
      ...{ scopes: ['read'], contextWindow: 100, keepRecent: 1, description: 'Answers everybody.' },
    }),
    agent('back', { tools: ['look'], scopes: ['read'] }),
    agent('inner', { tools: ['pay'], scopes: ['read'] }),
    agent('thrifty', { tools: ['writer'], tokenBudget: 2_000, maxTokens: 500, scopes: ['read'] }),
    agent('writer', { maxTokens: 500 }),
    context('facts', { data: 'Open till six.' }),
  ]);
  const table = createRouteTable([
    defineRoute('GET', '/look', { ...tools, toolName: 'look', scopes: ['read'] }, () => 'seen'),
    defineRoute('GET', '/camera', { ...tools, toolName: 'camera' }, () => ({ frame: image(picture) })),
    defineRoute(
      'POST',
      '/pay',
      { ...tools, toolName: 'pay', approval: 'required', input: { cents: Type.Integer({ minimum: 1 }) } },
      ({ cents }) => `paid ${cents}`,
    ),
    ...plugin.routes,
    ...runner.plugin.routes,
    mcpRoute({ info: { name: 'desk', version: '1' } }),
  ]).freeze();
  const rule = controlRule({ authenticated: true, mcpScopes: ['read'] });
  const dispatcher = createDispatcher(table, { runner, controlRule: rule });
  const models = scriptedModel(replies);
  const plugins = await startPlugins(
    [runner.plugin, plugin],
    createHost({ table, dispatcher, runner, models }),
  );
  const scopes = ['read', 'svc:admin'];
  const door = createDoor({
    ...{ dispatcher, controlRule: rule, controlPrefix: table.controlPrefix, newId: createIds() },
    authenticate: createAuthenticate([apiKey('KEY', 'ann', { scopes })], () => key),
  });
  const server = createServer(door.listener()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await plugins.ready();
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await plugins.stop();
    await database.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = (path: string, body?: Json, headers: Readonly<Record<string, string>> = {}) =>
    fetch(base + path, {
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
  return { ask, models, table };
}
