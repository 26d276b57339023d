import {
  anonymous,
  callTool,
  createRouteTable,
  type Dispatcher,
  defineRoute,
  jsonResponse,
  Type,
  toTool,
} from '@waymark/contract';

const table = createRouteTable([
  defineRoute(
    'GET',
    '/weather/{city}',
    { input: { days: Type.Integer({ default: 1 }) }, tool: true, summary: 'Weather of a city.' },
    ({ city, days }) => ({ city, days, sky: 'clear' }),
  ),
]).freeze();

// Everything that is served is a projection of the table. One of them: tools.
for (const route of table.tools()) console.log(JSON.stringify(toTool(route)));

// Whoever has `dispatch` can answer. The one of @waymark/core-routes checks scopes and input, and runs the engine.
const dispatcher: Pick<Dispatcher, 'dispatch'> = {
  dispatch: async ({ route, input }) =>
    jsonResponse({ route: route.name, values: input.by === 'arguments' ? input.values : {} }),
};

const route = table.tool('get_weather_by_city');
if (route) {
  const call = {
    route,
    arguments: { city: 'Bern' },
    principal: anonymous(),
    via: 'mcp',
    requestId: 'r1',
  } as const;
  console.log(JSON.stringify(await callTool(dispatcher, call)));
}
