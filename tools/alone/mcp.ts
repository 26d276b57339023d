// `contract` + `mcp` and nothing else: tools from somewhere, and any object with `dispatch`.
import assert from 'node:assert/strict';
import { createRouteTable, toRoute } from '@waymark/contract';
import { type Call, jsonResponse, type RouteResponse } from '@waymark/contract/engine';
import { anonymous } from '@waymark/contract/principal';
import { createMcp } from '@waymark/mcp';

const weather = toRoute(
  'GET',
  '/weather/{city}',
  { kind: 'handler' },
  { tool: true, summary: 'Weather of a city.' },
);
const foreign = {
  async dispatch({ route, input }: Call): Promise<RouteResponse> {
    return jsonResponse({ tool: route.name, values: input.by === 'arguments' ? input.values : {} });
  },
};
const mcp = createMcp({
  table: createRouteTable([weather]),
  dispatcher: foreign,
  info: { name: 'weather', version: '1.0.0' },
});

async function send(method: string, params: object): Promise<{ result: Record<string, unknown> }> {
  const message = { jsonrpc: '2.0', id: 1, method, params };
  const { status, body } = await mcp.handle(message, { principal: anonymous(), requestId: 'r' });
  assert.equal(status, 200);
  return JSON.parse(body ?? '') as { result: Record<string, unknown> };
}

const { tools } = (await send('tools/list', {})).result as { tools: { name: string }[] };
assert.deepEqual(
  tools.map(({ name }) => name),
  ['get_weather_by_city'],
);
const call = await send('tools/call', { name: 'get_weather_by_city', arguments: { city: 'Oslo' } });
assert.deepEqual(call.result['content'], [
  { type: 'text', text: '{"tool":"get_weather_by_city","values":{"city":"Oslo"}}' },
]);
