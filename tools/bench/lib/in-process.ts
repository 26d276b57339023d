import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { LoadRequest } from './load.ts';

/** Time for one request and its client, microseconds. */
export interface BlockCosts {
  /** Of the least disturbed of all blocks. */
  readonly least: number;
  readonly median: number;
  /** Of everything in a second before the blocks, where that was asked for: compiling, and what is set up once. */
  readonly firstSecond: number | undefined;
}

/** How much is sent. */
export interface BlockEffort {
  readonly blocks: number;
  /** Requests of a block. */
  readonly perBlock: number;
  /** Whether the server has not been asked yet. */
  readonly first: boolean;
}

const connections = 10;
const warmUpBlocks = 100;

/**
 * Sends requests to a server of this very process, and gives what server and client cost together. Nothing wakes another
 * process here, and a block is short enough to be left alone by others now and then: the least of many repeats within a
 * microsecond or so, where requests from another process scatter two to four times. It is time, not CPU, whose clock moves
 * in steps as long as a block.
 */
export async function costOfBlocks(
  url: string,
  requests: readonly LoadRequest[],
  { blocks, perBlock, first }: BlockEffort,
): Promise<BlockCosts> {
  const { hostname, port, host } = new URL(url);
  const texts = requests.map((request) => toText(request, host));
  const lines = await Promise.all(
    Array.from({ length: connections }, () => Line.open(hostname, Number(port))),
  );
  let at = 0;
  const next = (): string => texts[at++ % texts.length] ?? '';
  const block = (): Promise<number> => timeOf(lines, perBlock, next);
  try {
    const firstSecond = first ? await costOfFirstSecond(block) : undefined;
    // By number, not by time: on a busy machine a second is too short for the compiler.
    if (first) for (let i = 0; i < warmUpBlocks; i++) await block();
    const costs: number[] = [];
    for (let i = 0; i < blocks; i++) costs.push(await block());
    costs.sort((a, b) => a - b);
    return { least: costs[0] ?? Number.NaN, median: costs[costs.length >> 1] ?? Number.NaN, firstSecond };
  } finally {
    for (const line of lines) line.close();
  }
}

async function costOfFirstSecond(block: () => Promise<number>): Promise<number> {
  const startMs = performance.now();
  let sum = 0;
  let blocks = 0;
  while (performance.now() - startMs < 1000) {
    sum += await block();
    blocks++;
  }
  return sum / blocks;
}

/** Time for one request of a block in which each connection sends the same number, one behind the answer to another. */
async function timeOf(lines: readonly Line[], perBlock: number, next: () => string): Promise<number> {
  const each = Math.ceil(perBlock / lines.length);
  const startMs = performance.now();
  await new Promise<void>((resolve, reject) => {
    let waiting = lines.length;
    for (const line of lines)
      line.send(
        each,
        next,
        () => {
          if (--waiting === 0) resolve();
        },
        reject,
      );
  });
  return ((performance.now() - startMs) * 1000) / (each * lines.length);
}

/** One connection. */
class Line {
  readonly #socket: Socket;
  #left = 0;
  #got = '';
  #next: () => string = () => '';
  #done = (): void => {};
  #fail = (_error: Error): void => {};

  static async open(host: string, port: number): Promise<Line> {
    const socket = connect(port, host).setNoDelay(true);
    await once(socket, 'connect');
    return new Line(socket);
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1').on('data', (chunk: string) => this.#take(chunk));
  }

  send(times: number, next: () => string, done: () => void, fail: (error: Error) => void): void {
    this.#left = times;
    this.#next = next;
    this.#done = done;
    this.#fail = fail;
    this.#socket.write(next(), 'latin1');
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: string): void {
    this.#got = this.#got === '' ? chunk : this.#got + chunk;
    if (!isWhole(this.#got)) return;
    if (!this.#got.startsWith('HTTP/1.1 20')) this.#fail(new Error(this.#got));
    this.#got = '';
    if (--this.#left > 0) this.#socket.write(this.#next(), 'latin1');
    else this.#done();
  }
}

/** By its length, or the end of its last chunk. */
function isWhole(answer: string): boolean {
  const head = answer.indexOf('\r\n\r\n');
  if (head === -1) return false;
  const length = /content-length: (\d+)/i.exec(answer)?.[1];
  return length === undefined ? answer.endsWith('0\r\n\r\n') : answer.length >= head + 4 + Number(length);
}

function toText({ method = 'GET', path, headers = {}, body }: LoadRequest, host: string): string {
  const all = { host, ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}
