import { anonymous, callTool, createRouteTable, defineRoute, HTTPError } from '@waymark/contract';
import { createDispatcher, staticRoute } from '@waymark/core-routes';
import Type from 'typebox';

const titles = ['Lamp is broken', 'Door squeaks'];

const table = createRouteTable([
  staticRoute('GET', '/version', { version: '1.0.0' }),
  defineRoute('GET', '/tickets/{id}', { input: { id: Type.Integer() }, tool: true }, ({ id }) => {
    const title = titles[id];
    if (title === undefined) throw new HTTPError(404, `no ticket ${id}`);
    return { id, title };
  }),
]).freeze();

const dispatcher = createDispatcher(table);

// The way of a door: match a path, then dispatch.
const match = dispatcher.match('GET', '/version', false);
if (match.found) {
  const { status, body } = await dispatcher.dispatch({
    route: match.route,
    input: { by: 'arguments', values: {} },
    principal: anonymous(),
    via: 'http',
    requestId: '1',
  });
  console.log(status, body);
}

// The way of whoever calls by name: MCP, agents, flows.
const route = table.tool('get_tickets_by_id');
if (route) {
  const call = { route, principal: anonymous(), via: 'mcp', requestId: '2' } as const;
  console.log(await callTool(dispatcher, { ...call, arguments: { id: 1 } }));
  console.log(await callTool(dispatcher, { ...call, arguments: { id: 'one' } }));
}
