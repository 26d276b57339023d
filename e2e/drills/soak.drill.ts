/**
 * A started server at mixed work for half an hour: agents, behaviours, flows, conversations, humans, rows, listings, MCP. Its
 * heap after garbage collection does not rise, compiled code aside: V8 compiles for as long as functions get hot, and that ends
 * with the program's text. `SOAK_MINUTES=10` is shorter.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { application } from '../test/servers/application.ts';
import { Client } from '../test/servers/client.ts';
import { Fleet, keys, type Server } from '../test/servers/fleet.ts';
import { Humans } from '../test/servers/humans.ts';
import { type Job, makeJobs, shapeNames } from '../test/servers/jobs.ts';
import { type MemorySample, riseOf } from '../test/servers/memory-line.ts';
import { startOutside } from '../test/servers/outside.ts';

const minutes = Number(process.env['SOAK_MINUTES'] ?? 30);
/** Until then caches fill up and code is compiled. */
const warmMinutes = Math.min(5, minutes / 2);
/** What the heap may rise by in an hour, MB. */
const mostPerHour = 1;
/** What compiled code may take more at the end than when it was warm, MB. */
const mostCode = 2;
/** What the process may take more in the last third than in the first when it was warm, MB: the allocator keeps what it once had. */
const mostRss = 64;

const megabyte = 1024 * 1024;
const teller = join(import.meta.dirname, '../test/programs/heap-teller.ts');
const headers = { 'x-api-key': keys.DESK_KEY, 'content-type': 'application/json' };

/** Asks a server for its memory. */
async function sampleOf({ program }: Server, startMs: number): Promise<MemorySample> {
  const told = (): RegExpExecArray[] => [
    ...program.stdout().matchAll(/^heap (\d+) code (\d+) external (\d+) rss (\d+)$/gm),
  ];
  const before = told().length;
  program.child.kill('SIGUSR2');
  while (told().length === before) await sleep(20);
  const [heap = 0, code = 0, external = 0, rss = 0] = (told().at(-1) ?? []).slice(1).map(Number);
  return {
    atHours: (performance.now() - startMs) / 3_600_000,
    heap: (heap - code + external) / megabyte,
    code: code / megabyte,
    rss: rss / megabyte,
  };
}

/** One sample may stand between two collections. */
function medianRss(samples: readonly MemorySample[]): number {
  const sorted = samples.map(({ rss }) => rss).sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

/** What clients do besides starting runs. */
async function askAround(url: string, n: number): Promise<void> {
  const ask = async (path: string, body?: object): Promise<{ readonly id?: number }> => {
    const response = await fetch(url + path, {
      headers: { ...headers, accept: 'application/json, text/event-stream' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect(response.status, `${path}: ${text}`).toBeLessThan(300);
    return path === '/notes' ? JSON.parse(text) : {};
  };
  const { id } = await ask('/notes', { job: `direct-${n}`, n });
  await ask(`/notes/${id}`);
  await fetch(`${url}/notes/${id}`, { method: 'DELETE', headers });
  for (const path of ['health', 'runs?limit=20', 'audit?limit=20', 'usage', 'routes', 'openapi.json'])
    await ask(`/_svc/${path}`);
  const call = { name: 'look', arguments: { job: `direct-${n}`, n } };
  await ask('/_svc/mcp', { jsonrpc: '2.0', id: n, method: 'tools/call', params: call });
  // Nobody's path and nobody's key.
  await fetch(`${url}/nowhere/${n}`, { headers });
  await fetch(`${url}/notes`, { headers: { 'x-api-key': `wrong-${n}` } });
}

it(`does not grow in ${minutes} minutes`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'soak-'));
  const outside = await startOutside();
  const env = { NODE_OPTIONS: `--expose-gc --import=${teller}` };
  const fleet = new Fleet({ folder, outside: outside.url, application, env });
  const server = await fleet.start(1);
  const jobs = new Map<string, Job>();
  const humans = new Humans(fleet, jobs, () => {});
  const startMs = performance.now();
  const samples: MemorySample[] = [];
  let [runs, asked] = [0, 0];
  for (let round = 0; performance.now() - startMs < minutes * 60_000; round++) {
    const shapes = shapeNames.map((shape, i) => ({ shape, first: 1 + (round * shapeNames.length + i) * 2 }));
    // Those of four shapes at once, and others between them.
    for (let i = 0; i < shapes.length; i += 4) {
      const some = shapes
        .slice(i, i + 4)
        .flatMap(({ shape, first }) => makeJobs(shape, first, () => (round % 10) / 10));
      for (const job of some) jobs.set(job.name, job);
      await Promise.all([...some.map((job) => new Client(fleet, job).end()), askAround(server.url, ++asked)]);
      for (const { name } of some) jobs.delete(name);
      runs += some.length;
    }
    await sleep(500);
    const sample = await sampleOf(server, startMs);
    samples.push(sample);
    const { heap, code, rss } = sample;
    const [at, ...sizes] = [sample.atHours * 60, heap, code, rss].map((value) => value.toFixed(2));
    const [ofHeap, ofCode, ofProcess] = sizes;
    process.stdout.write(
      `minute ${at}: ${runs} runs, heap ${ofHeap} MB, code ${ofCode} MB, process ${ofProcess} MB\n`,
    );
  }
  await humans.stop();
  await fleet.close();
  await outside.close();
  rmSync(folder, { recursive: true, force: true });
  const warm = samples.filter(({ atHours }) => atHours * 60 >= warmMinutes);
  const { perHour, error } = riseOf(warm);
  const codeRise = (warm.at(-1)?.code ?? 0) - (warm[0]?.code ?? 0);
  const third = Math.ceil(warm.length / 3);
  const rssRise = medianRss(warm.slice(-third)) - medianRss(warm.slice(0, third));
  process.stdout.write(
    `${runs} runs: the heap rises by ${perHour.toFixed(2)} ± ${error.toFixed(2)} MB/h, code by ${codeRise.toFixed(2)} MB, the process by ${rssRise.toFixed(1)} MB\n`,
  );
  expect(warm.length).toBeGreaterThan(5);
  // That a machine is busy with something else is no matter of the server.
  expect(fleet.complaints.filter((said) => !said.includes('event-loop-slow'))).toEqual([]);
  // A short soak knows it less well.
  expect(perHour - error).toBeLessThan(mostPerHour);
  expect(codeRise).toBeLessThan(mostCode);
  expect(rssRise).toBeLessThan(mostRss);
});
