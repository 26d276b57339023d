// Counts what requests cost an application with every default on: promises, bytes of the heap, and functions of this
// repository that are called. Says so in one line.
import { once } from 'node:events';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { promiseHooks } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { createApplication, reply, Type } from '@waymark/server';

// Of an id, 16 letters are drawn in each new millisecond: on a slow machine each request would call 32 functions more.
const startMs = Date.now();
Date.now = () => startMs;

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
// One row of a table, in memory: nothing of a disk is counted.
const kept = createApplication('kept', { port: 0, database: ':memory:', env: { LOG_LEVEL: 'info' } });
kept.resource('rows', { state: Type.String() });
kept.query('GET', '/rows/{id}/state', 'select id, state from rows where id = :id', {
  ...{ params: { id: 'integer' }, returns: 'one', row: { id: 'integer', state: Type.String() } },
});
const keeping = await kept.listen();
await kept.database.write([{ sql: "insert into rows (id, state) values (42, 'open')" }]);
const { url } = await app.listen();
const { host } = new URL(url);

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
  query: toRequest(['GET /rows/42/state']),
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

/** One that sends requests of a kind; it waits too long for no other. */
async function startClient(request: string): Promise<Worker> {
  const at = request === requests.query ? keeping.url : url;
  const client = new Worker(join(import.meta.dirname, 'request-client.ts'), {
    workerData: { port: Number(new URL(at).port) },
  });
  await once(client, 'message');
  return client;
}

async function send(client: Worker, request: string, times: number): Promise<string> {
  client.postMessage({ request, times });
  const [answer] = (await once(client, 'message')) as [string];
  return answer;
}

/** Few enough that most blocks see no collection of garbage, which would be counted as less. */
const perBlock = 40;
const blocks = 21;
const warmUp = 2_000;

interface Cost {
  readonly answer: string;
  readonly promises: number;
  readonly bytes: number;
  readonly calls: number;
  readonly functions: number;
}

const costs: Record<string, Cost> = {};
for (const [name, request] of Object.entries(requests)) {
  const client = await startClient(request);
  const answer = await send(client, request, warmUp);
  const bytes: number[] = [];
  let promises = Number.POSITIVE_INFINITY;
  for (let block = 0; block < blocks; block++) {
    const before = process.memoryUsage().heapUsed;
    await send(client, request, perBlock);
    bytes.push((process.memoryUsage().heapUsed - before) / perBlock);
    promises = Math.min(promises, await promisesOf(client, request));
  }
  await client.terminate();
  bytes.sort((a, b) => a - b);
  costs[name] = {
    answer,
    promises,
    bytes: Math.round(bytes[blocks >> 1] ?? Number.NaN),
    calls: 0,
    functions: 0,
  };
}
// Behind the others: whoever counts calls keeps code from being made fast.
for (const [name, request] of Object.entries(requests)) {
  const cost = costs[name];
  if (cost) costs[name] = { ...cost, ...(await callsOf(request)) };
}
// What a log line said before it is whole.
process.stdout.write(`costs ${JSON.stringify(costs)}\n`, () => process.exit());

/** Those of a block, but for the few of this program itself. */
async function promisesOf(client: Worker, request: string): Promise<number> {
  let made = 0;
  const stop = promiseHooks.onInit(() => {
    made++;
  });
  await send(client, request, perBlock);
  stop();
  return Math.floor(made / perBlock);
}

/** Functions of this repository that a request calls: how often any, and how many; but for what happens by the clock. */
async function callsOf(request: string): Promise<Pick<Cost, 'calls' | 'functions'>> {
  const client = await startClient(request);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const least = { calls: Number.POSITIVE_INFINITY, functions: Number.POSITIVE_INFINITY };
  for (let block = 0; block < 5; block++) {
    // What was counted before is counted no more.
    await session.post('Profiler.takePreciseCoverage');
    await send(client, request, perBlock);
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const counts = result
      .filter(({ url }) => /\/(?:packages|apps)\/[\w-]+\/(?:src|dist)\//.test(url))
      .flatMap(({ functions }) => functions.map(({ ranges: [range] }) => (range?.count ?? 0) / perBlock))
      .filter((count) => count >= 1);
    least.calls = Math.min(least.calls, Math.floor(counts.reduce((sum, count) => sum + count, 0)));
    least.functions = Math.min(least.functions, counts.length);
  }
  session.disconnect();
  await client.terminate();
  return least;
}
