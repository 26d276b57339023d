// Counts what requests cost an application with every default on: promises, and bytes of the heap. Says so in one line.
import { once } from 'node:events';
import { join } from 'node:path';
import { promiseHooks } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { createApplication, reply, Type } from '@waymark/server';

const app = createApplication('counted', { port: 0, env: { LOG_LEVEL: 'info' } });
app.get('/static', () => ({ name: 'tickets', version: '1.4.2', status: 'ready', region: 'eu-central' }));
app.get(
  '/tickets/{id}/summary',
  { input: { id: Type.Integer({ minimum: 1 }), max: Type.Integer({ minimum: 1, maximum: 200 }) } },
  ({ id, max }) => ({ id, max }),
);
app.post(
  '/tickets',
  {
    input: {
      title: Type.String({ minLength: 1, maxLength: 120 }),
      text: Type.String({ maxLength: 2000 }),
      priority: Type.Integer({ minimum: 1, maximum: 5 }),
      urgent: Type.Boolean(),
      tags: Type.Array(Type.String({ maxLength: 40 }), { maxItems: 10 }),
    },
  },
  ({ title, priority, tags }) => reply(201, { id: 4711, title, priority, tags, state: 'open' }),
);
const text = Type.Object({ text: Type.String() });
app.post(
  '/echo',
  { tool: true, summary: 'Gives back a text.', input: { text: Type.String() }, output: text },
  (input) => ({ text: input.text }),
);
const { url } = await app.listen();
const { host, port } = new URL(url);

const params = { name: 'create_echo', arguments: { text: 'Lorem ipsum dolor sit amet.' } };
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'count', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const mcp = ['POST /_svc/mcp', 'accept: application/json, text/event-stream'];
const requests = {
  static: toRequest(['GET /static']),
  summary: toRequest(['GET /tickets/42/summary?max=40']),
  create: toRequest(['POST /tickets'], {
    ...{ title: 'Printer down', text: 'It blinks twice and answers nobody.' },
    ...{ priority: 2, urgent: true, tags: ['printer', 'floor-2'] },
  }),
  initialize: toRequest([...mcp, 'mcp-protocol-version: 2025-11-25'], call),
  discover: toRequest(
    [...mcp, ...['mcp-protocol-version: 2026-07-28', 'mcp-method: tools/call', `mcp-name: ${params.name}`]],
    { ...call, params: { ...params, _meta } },
  ),
};

function toRequest([first, ...headers]: readonly string[], body?: object): string {
  const sent = body === undefined ? '' : JSON.stringify(body);
  const about = ['content-type: application/json', `content-length: ${sent.length}`];
  const lines = [`${first} HTTP/1.1`, `host: ${host}`, ...headers, ...(body ? about : [])];
  return `${lines.join('\r\n')}\r\n\r\n${sent}`;
}

const client = new Worker(join(import.meta.dirname, 'request-client.ts'), {
  workerData: { port: Number(port) },
});
await once(client, 'message');

async function send(request: string, times: number): Promise<string> {
  client.postMessage({ request, times });
  const [answer] = (await once(client, 'message')) as [string];
  return answer;
}

/** Few enough that most blocks see no collection of garbage, which would be counted as less. */
const perBlock = 40;
const blocks = 31;
const warmUp = 4_000;

const costs: Record<string, { answer: string; promises: number; bytes: number }> = {};
for (const [name, request] of Object.entries(requests)) {
  const answer = await send(request, warmUp);
  const bytes: number[] = [];
  let promises = Number.POSITIVE_INFINITY;
  for (let block = 0; block < blocks; block++) {
    const before = process.memoryUsage().heapUsed;
    await send(request, perBlock);
    bytes.push((process.memoryUsage().heapUsed - before) / perBlock);
    promises = Math.min(promises, await promisesOf(request));
  }
  bytes.sort((a, b) => a - b);
  costs[name] = { answer, promises, bytes: Math.round(bytes[blocks >> 1] ?? Number.NaN) };
}
// What a log line said before it is whole.
process.stdout.write(`costs ${JSON.stringify(costs)}\n`, () => process.exit());

/** Those of a block, but for the few of this program itself. */
async function promisesOf(request: string): Promise<number> {
  let made = 0;
  const stop = promiseHooks.onInit(() => {
    made++;
  });
  await send(request, perBlock);
  stop();
  return Math.floor(made / perBlock);
}
