import { behaviour, createAgents } from '@waymark/agents';
import { callTool, createRouteTable, defineRoute } from '@waymark/contract';
import { anonymous } from '@waymark/contract/principal';
import { createDispatcher, createHost, startPlugins } from '@waymark/core-routes';
import { openDatabase, sqlRunStore, sqlSessionStore } from '@waymark/data';
import { createRunner } from '@waymark/runs';

const database = await openDatabase('sqlite://desk.db');
const runner = createRunner({ store: sqlRunStore(database), sessions: sqlSessionStore(database) });

const look = defineRoute('GET', '/lamp', { tool: true, toolName: 'look' }, () => 'broken');
const drivers = createAgents([
  behaviour('check_lamp', { tools: ['look'] }, async (ctx) => ({ lamp: await ctx.call('look') })),
]);

const table = createRouteTable([look, ...drivers.routes, ...runner.plugin.routes]).freeze();
const dispatcher = createDispatcher(table, { runner });
const plugins = await startPlugins([runner.plugin, drivers], createHost({ table, dispatcher, runner }));
// Listen; then stored runs are taken up, and approvals expire.
await plugins.ready();

const route = table.tool('check_lamp');
const call = { principal: anonymous(), via: 'mcp', requestId: '1', arguments: {} } as const;
if (route) console.log(await callTool(dispatcher, { ...call, route }));

await plugins.stop();
await database.close();
