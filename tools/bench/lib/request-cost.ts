import { setTimeout as sleep } from 'node:timers/promises';
import type { Contestant } from './best-of-rounds.ts';
import type { LoadRequest } from './load.ts';
import { sendLoad } from './send-load.ts';
import type { Sample, ServerProcess } from './server-process.ts';

/** Long enough for many requests and a few collections of garbage, short enough to be left alone by other programs. */
const windowMs = 100;

/** A server under load: the CPU time of its process for each request, microseconds. */
export class RequestCost implements Contestant {
  readonly name: string;
  /** The most requests a second of any round. */
  perSecond = 0;
  /** The least latencies of any round, milliseconds. */
  p50Ms = Number.POSITIVE_INFINITY;
  p99Ms = Number.POSITIVE_INFINITY;
  /** CPU time of a request in the first load of all, warming up included, microseconds. */
  firstMicros = Number.NaN;
  readonly #windows: number[] = [];
  readonly #server: ServerProcess;
  readonly #requests: readonly LoadRequest[];
  readonly #seconds: number;

  /** @param seconds of each round; whole ones */
  constructor(name: string, server: ServerProcess, requests: readonly LoadRequest[], seconds = 1) {
    this.name = name;
    this.#server = server;
    this.#requests = requests;
    this.#seconds = seconds;
  }

  /** Gives the best of many short windows: on a machine that others use, a whole second is seldom undisturbed. */
  readonly measure = async (): Promise<number> => {
    const samples: Sample[] = [];
    const load = sendLoad(this.#server.url, this.#requests, { seconds: this.#seconds });
    let over = false;
    const ended = load.finally(() => {
      over = true;
    });
    while (!over) {
      samples.push(await this.#server.sample());
      await sleep(windowMs);
    }
    const { perSecond, p50Ms, p99Ms } = await ended;
    this.perSecond = Math.max(this.perSecond, perSecond);
    this.p50Ms = Math.min(this.p50Ms, p50Ms);
    this.p99Ms = Math.min(this.p99Ms, p99Ms);
    const micros = costs(samples);
    if (Number.isNaN(this.firstMicros)) this.firstMicros = wholeCost(samples);
    else this.#windows.push(...micros);
    return Math.min(...micros);
  };

  /** The cost in the middle of all windows but those of the first load, microseconds: with collections of garbage. */
  get medianMicros(): number {
    return this.#windows.toSorted((a, b) => a - b)[this.#windows.length >> 1] ?? Number.NaN;
  }
}

/** From the first sample to the last. */
function wholeCost(samples: readonly Sample[]): number {
  const [first, last] = [samples[0], samples.at(-1)];
  return first && last ? (last.cpuMicros - first.cpuMicros) / (last.requests - first.requests) : Number.NaN;
}

function costs(samples: readonly Sample[]): readonly number[] {
  const windows = samples.slice(1).map((after, i) => {
    const { cpuMicros = 0, requests = 0 } = samples[i] ?? {};
    return { cpuMicros: after.cpuMicros - cpuMicros, requests: after.requests - requests };
  });
  // The first and the last window are idle for a part, and waking up costs more than working.
  const full = Math.max(...windows.map(({ requests }) => requests)) / 2;
  return windows
    .filter(({ requests }) => requests >= full)
    .map(({ cpuMicros, requests }) => cpuMicros / requests);
}
