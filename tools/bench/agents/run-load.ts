import type { Contestant } from '../lib/best-of-rounds.ts';
import type { LoadRequest } from '../lib/load.ts';
import { sendLoad } from '../lib/send-load.ts';
import type { ServerProcess } from '../lib/server-process.ts';

/**
 * A server under load: the CPU time of its process for each run, microseconds. Of whole rounds and not of short windows:
 * where a run takes 10 ms, a window in which many begin and few end would look cheap.
 */
export class RunLoad implements Contestant {
  readonly name: string;
  /** The most runs a second of any round. */
  perSecond = 0;
  /** The least median of any round, milliseconds. */
  p50Ms = Number.POSITIVE_INFINITY;
  readonly #server: ServerProcess;
  readonly #request: LoadRequest;

  constructor(name: string, server: ServerProcess, request: LoadRequest) {
    this.name = name;
    this.#server = server;
    this.#request = request;
  }

  readonly measure = async (): Promise<number> => {
    const before = await this.#server.sample();
    const load = await sendLoad(this.#server.url, [this.#request], { seconds, connections });
    const after = await this.#server.sample();
    this.perSecond = Math.max(this.perSecond, load.perSecond);
    if (load.requests > 0) this.p50Ms = Math.min(this.p50Ms, load.p50Ms);
    return (after.cpuMicros - before.cpuMicros) / load.requests;
  };
}

/** As many callers as there are runs at once in the same trial without HTTP. */
const connections = 32;

/** Of a round: long enough for the slowest to end a few hundred runs. */
const seconds = 2;
