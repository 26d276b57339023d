/** Agents, flows and behaviours over a tool of another service that fails for a while. */
import { verifies } from '@waymark/contract/testing';
import { startSimulator } from '@waymark/model-simulator';
import { expect, it, onTestFinished } from 'vitest';
import { declareRetries, sayJson, serveTool } from './retry-desk.ts';
import { application, secrets, serve } from './served.ts';

const starts = [
  ['an agent', '/agents/clerk', { input: '[[call order {"lines": 1}]] [[say Done.]]' }],
  ['a flow', '/flows/intake', {}],
  ['a behaviour', '/behaviours/buys', {}],
] as const;

/** How a service fails for a moment. */
const troubles = [
  ['is not available', (response: Response) => sayJson(response, 503, { detail: 'not now' })],
  ['cuts the connection', (response: Response) => response.destroy()],
  [
    'breaks off its answer',
    (response: Response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"half');
      setImmediate(() => response.destroy());
    },
  ],
] as const;

type Response = Parameters<Parameters<typeof serveTool>[0]>[1];

it.each(
  starts.flatMap((start) =>
    troubles.map(([what, fail]) => [start[0], what, start[1], start[2], fail] as const),
  ),
)('%s gets its answer from a service that at first %s', async (_, __, path, input, fail) => {
  verifies('run.retry.passing', 'run.retry.key', 'run.retry.runs-only');
  const models = await startSimulator({ anonymous: true });
  onTestFinished(() => models.close());
  const tool = await serveTool((n, response) =>
    n < 3 ? fail(response) : sayJson(response, 200, { ordered: n }),
  );
  const app = declareRetries(application(), { tools: tool.url, models: models.url, backoffMs: 1 });
  const { url } = await serve(app.apiKey('SHOP_KEY', 'desk', { scopes: ['use'] }));
  const ask = (method: string, to: string, body: object) =>
    fetch(`${url}${to}`, {
      method,
      headers: { 'x-api-key': secrets.SHOP_KEY, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const answer = await ask('POST', path, input);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain(path === '/agents/clerk' ? 'Done.' : '"ordered":3');
  expect(tool.asked).toHaveLength(3);
  expect(new Set(tool.asked.map(({ key }) => key)).size).toBe(1);
  expect(tool.asked[0]?.key).toMatch(/^\w+\.\d+$/);
  expect(new Set(tool.asked.map(({ body }) => body))).toEqual(new Set(['{"lines":1}']));
});

it('a request to the same route is made once', async () => {
  verifies('run.retry.runs-only');
  const tool = await serveTool((_, response) => sayJson(response, 503, {}));
  const app = declareRetries(application(), { tools: tool.url, models: tool.url, backoffMs: 1 });
  const { url } = await serve(app.apiKey('SHOP_KEY', 'desk', { scopes: ['use'] }));
  const answer = await fetch(`${url}/orders`, {
    method: 'PUT',
    headers: { 'x-api-key': secrets.SHOP_KEY, 'content-type': 'application/json' },
    body: '{"lines":1}',
  });
  expect(answer.status).toBe(503);
  expect(tool.asked).toHaveLength(1);
});
