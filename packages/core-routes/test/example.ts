import { callTool, createRouteTable, defineRoute, Type } from '@waymark/contract';
import { anonymous } from '@waymark/contract/principal';
import { createDispatcher, staticRoute } from '@waymark/core-routes';

const table = createRouteTable([
  staticRoute('GET', '/version', { version: '1.0.0' }),
  defineRoute('GET', '/tickets/{id}', { input: { id: Type.Integer() }, tool: true }, ({ id }) => ({ id })),
]).freeze();
const dispatcher = createDispatcher(table);
const caller = { principal: anonymous(), via: 'mcp', requestId: '1' } as const;

// The way of a door: match a path, then dispatch.
const match = dispatcher.match('GET', '/version', false);
if (match.found) {
  const input = { by: 'arguments', values: {} } as const;
  console.log(await dispatcher.dispatch({ ...caller, route: match.route, input }));
}

// The way of whoever calls by name: MCP, agents, flows.
const route = table.tool('get_tickets_by_id');
if (route) console.log(await callTool(dispatcher, { ...caller, route, arguments: { id: 'one' } }));
