/**
 * What survives every server: the models they ask, and the place where their effects happen. It tells its parent of each
 * request, each answer that somebody took and each effect, and takes from it how its models are to fail for a while.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSimulator } from '@waymark/model-simulator';
import type { Happened, Order, Outage } from './outside.ts';

/** The models think for so long at least, and for up to `spreadMs` more. */
const leastMs = 5;
const spreadMs = 60;
/** One of so many takes its time. */
const slowEach = 6;
const slowMs = 700;
/** The one request that is chosen to hang does for so long. */
const hangMs = 1_000;
/** Scatters what follows one another. */
const scattering = 7_919;

interface Chosen {
  readonly kind: Outage['kind'];
  readonly serial: number;
}

const simulator = await startSimulator({ anonymous: true, maxRequests: 1 });
let outage: Outage = { kind: 'none', untilMs: 0 };
let chosen: Chosen = { kind: 'none', serial: 0 };
let asked = 0;

function tell(happened: Happened): void {
  process.send?.(happened);
}

process.on('message', (order: Order) => {
  if ('nth' in order) chosen = { kind: order.kind, serial: asked + order.nth };
  else outage = { kind: order.kind, untilMs: performance.now() + order.forMs };
});
process.on('disconnect', () => process.exit());

const server = createServer((request, response) => {
  const { url } = request;
  const answer = url === '/effects' ? effect : url === '/hook' ? receive : model;
  answer(request, response).catch(() => response.destroy());
}).listen(0, '127.0.0.1');
server.keepAliveTimeout = 120_000;
server.on('listening', () => {
  const { port } = server.address() as AddressInfo;
  tell({ what: 'listens', url: `http://127.0.0.1:${port}` });
});

async function effect(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { tool, job, n, key } = JSON.parse(await text(request));
  tell({ what: 'effect', tool, job, n, key });
  await sleep(2 + Math.random() * 6);
  response.end('{}');
}

/** Webhooks are received, and nothing is done about them. */
async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await text(request);
  response.writeHead(204).end();
}

/** Each answer costs another number of tokens, so that it is found in a ledger. */
async function model(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const [job = ''] = /job-\d+/.exec(body) ?? [];
  const serial = ++asked;
  const startMs = performance.now();
  tell({ what: 'asked', job, serial });
  if (performance.now() < outage.untilMs) return refuse(job, response, outage);
  if (serial === chosen.serial)
    return refuse(job, response, { kind: chosen.kind, untilMs: performance.now() + hangMs });
  await sleep(serial % slowEach === 0 ? slowMs : leastMs + ((serial * scattering) % spreadMs));
  const answer = await fetch(simulator.url + request.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body,
  });
  const said = await answer.text();
  if (answer.status !== 200) process.stderr.write(`the models refuse ${job}: ${said}\n`);
  const numbered = said.replace(/"cache_read_input_tokens":\d+/g, `"cache_read_input_tokens":${serial}`);
  // Whoever asked may be dead by now.
  if (response.destroyed) return;
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
  response.end(numbered);
  tell({ what: 'answered', job, serial, tookMs: performance.now() - startMs });
}

async function refuse(job: string, response: ServerResponse, { kind, untilMs }: Outage): Promise<void> {
  tell({ what: 'refused', job });
  if (kind === 'hang') await sleep(untilMs - performance.now());
  if (kind === 'hang' || kind === 'reset') return void response.destroy();
  const error = { type: kind === '429' ? 'rate_limit_error' : 'api_error', message: 'later' };
  response.writeHead(Number(kind), { 'content-type': 'application/json' });
  response.end(JSON.stringify({ type: 'error', error }));
}
