import { join } from 'node:path';
import { bestOfRounds } from '../lib/best-of-rounds.ts';
import type { Goal } from '../lib/goals.ts';
import type { LoadRequest } from '../lib/load.ts';
import { type ServerProcess, startServerProcess } from '../lib/server-process.ts';
import { key } from './contestants/desk.ts';
import { type ContestantModule, contestants, moduleOf, startAll } from './contestants.ts';
import type { ModelServer } from './model-server.ts';
import { input, output } from './question.ts';
import { RunLoad } from './run-load.ts';

const path = '/agents/clerk';

/** What every server is sent. Only ours asks who calls. */
export const runRequest: LoadRequest = {
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', 'x-api-key': key },
  body: JSON.stringify({ input }),
};

/** Whoever measures a door takes the whole application. */
const served = contestants.filter(({ name }) => name !== 'waymark normal' && name !== 'waymark memory');

/** Puts everybody behind an equal route, and shows a table. */
export async function compareOverHttp(
  models: ModelServer,
  folder: string,
  rounds: number,
): Promise<readonly Goal[]> {
  const servers = new Map<string, ServerProcess>();
  try {
    await startAll(
      served,
      async (one) => {
        const server = await startServer(one, models.url, folder);
        await models.duringOneRun(one.name, () => checkAnswer(one.name, server.url));
        return server;
      },
      servers,
    );
    return await compare(servers, rounds);
  } finally {
    await Promise.all([...servers.values()].map((server) => server.stop()));
  }
}

function startServer(one: ContestantModule, modelsUrl: string, folder: string): Promise<ServerProcess> {
  const program = (file: string): string => join(import.meta.dirname, 'contestants', file);
  if (one.name === 'waymark') return startServerProcess(program('waymark-server.ts'), [modelsUrl, folder]);
  return startServerProcess(program('serve.ts'), [moduleOf(one), modelsUrl, folder]);
}

/** @throws {Error} when it says something else than the model did */
async function checkAnswer(name: string, url: string): Promise<void> {
  const { method = 'POST', headers = {}, body = '' } = runRequest;
  const response = await fetch(new URL(path, url), { method, headers, body });
  const text = await response.text();
  const answer = response.ok ? (JSON.parse(text) as { readonly output?: unknown }) : {};
  if (answer.output !== output) throw new Error(`${name} answered ${response.status} ${text}`);
}

async function compare(
  servers: ReadonlyMap<string, ServerProcess>,
  rounds: number,
): Promise<readonly Goal[]> {
  const loads = [...servers].map(([name, server]) => new RunLoad(name, server, runRequest));
  const cpu = await bestOfRounds(loads, rounds);
  const of = (name: string): number => cpu.get(name) ?? Number.NaN;

  console.log(
    `\n${'over HTTP, 32 at once'.padEnd(24)}    CPU/run     runs/s    p50 ms   × ai sdk   × mastra`,
  );
  for (const { name, perSecond, p50Ms } of loads)
    console.log(
      name.padEnd(24),
      `${of(name).toFixed(0)} µs`.padStart(10),
      String(Math.round(perSecond)).padStart(10),
      p50Ms.toFixed(1).padStart(9),
      (of('ai sdk') / of(name)).toFixed(2).padStart(10),
      (of('mastra') / of(name)).toFixed(1).padStart(10),
    );
  const times = (name: string, peer: string, target: number): Goal => ({
    name,
    measured: of(peer) / of('waymark'),
    op: '>=',
    target,
  });
  return [times('agents-http-times-ai-sdk', 'ai sdk', 1.5), times('agents-http-times-mastra', 'mastra', 8)];
}
