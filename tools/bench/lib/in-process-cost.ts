import type { Contestant } from './best-of-rounds.ts';
import type { BlockCosts } from './in-process.ts';
import type { LoadRequest } from './load.ts';
import type { ServerProcess } from './server-process.ts';

/** A server that is its own client: its time for each request, microseconds, the client's among it. */
export class InProcessCost implements Contestant {
  readonly name: string;
  /** The least median of any round. */
  median = Number.POSITIVE_INFINITY;
  /** Of the first round, in which nothing was compiled yet. */
  firstSecond = Number.NaN;
  /** The least of each round. */
  readonly rounds: number[] = [];
  readonly #server: ServerProcess;
  readonly #requests: readonly LoadRequest[];
  readonly #blocks: number;

  /** @param blocks of 100 requests in each round */
  constructor(name: string, server: ServerProcess, requests: readonly LoadRequest[], blocks: number) {
    this.name = name;
    this.#server = server;
    this.#requests = requests;
    this.#blocks = blocks;
  }

  readonly measure = async (): Promise<number> => {
    const costs: BlockCosts = await this.#server.costOf(this.#requests, {
      blocks: this.#blocks,
      perBlock: 100,
      first: this.rounds.length === 0,
    });
    this.firstSecond = costs.firstSecond ?? this.firstSecond;
    this.median = Math.min(this.median, costs.median);
    this.rounds.push(costs.least);
    return costs.least;
  };

  /** How far its rounds are apart: more than 1.5 times says that the machine was too busy to tell. */
  get spread(): number {
    return Math.max(...this.rounds) / Math.min(...this.rounds);
  }
}

/** From here on a run tells nothing. */
export const steadySpread = 1.5;

/** Says so where the rounds of a reference are too far apart. */
export function warnOfSpread(reference: InProcessCost): void {
  if (reference.spread > steadySpread)
    console.log(
      `unsteady: the rounds of ${reference.name} are ${reference.spread.toFixed(2)} times apart, run it again`,
    );
}
