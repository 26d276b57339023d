import { createRouteTable, Type, toRoute } from '@waymark/contract';
import { type Call, jsonResponse } from '@waymark/contract/engine';
import { anonymous } from '@waymark/contract/principal';
import { createMcp } from '@waymark/mcp';
import { expect, it } from 'vitest';

it('serves tools of any origin through any object with dispatch, as the README shows', async () => {
  const options = { tool: true, summary: 'Weather of a city.', input: { city: Type.String() } };
  const city = toRoute('GET', '/weather/{city}', { kind: 'handler' }, options);
  const mcp = createMcp({
    info: { name: 'weather', version: '1.0.0' },
    table: createRouteTable([city]).freeze(),
    dispatcher: {
      dispatch: async ({ input }: Call) =>
        jsonResponse({ city: input.by === 'arguments' && input.values['city'], sky: 'clear' }),
    },
  });
  const { status, body } = await mcp.handle(
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_weather_by_city', arguments: { city: 'Oslo' } },
    },
    { principal: anonymous(), requestId: 'r-1' },
  );
  expect(status).toBe(200);
  expect(body).toBe(
    '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\\"city\\":\\"Oslo\\",\\"sky\\":\\"clear\\"}"}],"isError":false}}',
  );
});
