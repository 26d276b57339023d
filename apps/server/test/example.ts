import { createApplication, formatReport, HTTPError, runUntilSignal, Type } from '@waymark/server';

const prices = new Map([['atlas', 30]]);

const app = createApplication('maps', { description: 'Sells maps.', version: '1.0.0' })
  .apiKey('OWNER_KEY', 'owner', { scopes: ['svc:admin', 'maps:read', 'maps:write'] })
  .apiKey('READER_KEY', 'reader', { scopes: ['maps:read'] });

app.static('GET', '/', { openapi: '/_svc/openapi.json', mcp: '/_svc/mcp' });

app.get('/maps/{name}', { output: Type.Number(), tool: true, scopes: ['maps:read'] }, ({ name }) => {
  'Tell the price of a map.';
  const price = prices.get(name);
  if (price === undefined) throw new HTTPError(404, `there is no map ${name}`);
  return price;
});

app.put(
  '/maps/{name}',
  {
    summary: 'Set the price of a map.',
    input: { price: Type.Number({ minimum: 0 }) },
    scopes: ['maps:write'],
  },
  ({ name, price }) => {
    prices.set(name, price);
  },
);

const running = await app.listen();
const stopped = runUntilSignal(running);
console.log(formatReport(running.report));
await stopped;
