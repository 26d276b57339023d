import { callTool, createRouteTable, defineRoute, Type, toTool } from '@waymark/contract';
import { jsonResponse } from '@waymark/contract/engine';
import { anonymous } from '@waymark/contract/principal';

const options = { input: { days: Type.Integer({ default: 1 }) }, tool: true, summary: 'Weather of a city.' };
const table = createRouteTable([
  defineRoute('GET', '/weather/{city}', options, ({ city, days }) => ({ city, days, sky: 'clear' })),
]).freeze();

// Whoever has `dispatch` can answer. The one of @waymark/core-routes checks scopes and input, and runs the engine.
const dispatcher: Parameters<typeof callTool>[0] = {
  dispatch: async ({ route, input }) => jsonResponse({ route: route.name, input }),
};

// Everything that is served is a projection of the table. One of them: tools.
for (const route of table.tools()) {
  console.log(JSON.stringify(toTool(route)));
  const caller = { principal: anonymous(), via: 'mcp', requestId: 'r1' } as const;
  console.log(JSON.stringify(await callTool(dispatcher, { route, arguments: { city: 'Bern' }, ...caller })));
}
