import type { RouteResponse, TakenRoot } from '@waymark/contract';
import type { EngineParts } from './engine-parts.ts';
import { persist } from './persist.ts';
import type { Roots } from './roots.ts';
import { RunTree } from './run-tree.ts';
import type { StoredRoots } from './stored-roots.ts';

/** Legs without a new step after which a root is given up. */
const mostAttempts = 5;

/** From here on a root may be what ends the process: it runs alone. */
const suspiciousAttempts = 2;

/** What a pool is made of. */
export interface PoolParts extends EngineParts {
  readonly roots: Roots;
  readonly stored: StoredRoots;
  /** This process. */
  readonly holder: string;
  readonly maxResumed: number;
}

/** Takes roots that nobody executes, and goes on with them. */
export class Pool {
  readonly #parts: PoolParts;
  #resumed = 0;
  #alone = false;

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  /** Takes as many as there is room for. What may end the process runs alone, one after another, when nothing else runs. */
  async fill(): Promise<void> {
    const { store, holder, maxResumed, leaseMs, roots } = this.#parts;
    const room = maxResumed - this.#resumed;
    if (roots.draining || room <= 0 || this.#alone) return;
    const taken = await store.take(holder, room, leaseMs, undefined, roots.ids);
    const suspicious = taken.filter(({ attempts }) => attempts >= suspiciousAttempts);
    for (const one of taken) if (!suspicious.includes(one)) this.#begin(one);
    const alone = this.#resumed === 0 && !this.#alone ? suspicious.shift() : undefined;
    // Given back at once: if the process dies of another one, that is not counted against them.
    await Promise.all(suspicious.map(({ fence }) => store.release(fence)));
    if (alone) await this.#runAlone(alone);
    if (alone && suspicious.length > 0) await this.fill();
  }

  /** Goes on with one root, if nobody else does. @returns the answer of its route */
  async resume(rootId: string): Promise<RouteResponse | undefined> {
    const { store, holder, leaseMs, roots } = this.#parts;
    if (roots.draining) return undefined;
    const [taken] = await store.take(holder, 1, leaseMs, rootId, roots.ids);
    return taken && this.#run(taken);
  }

  #begin(taken: TakenRoot): void {
    void this.#run(taken).catch((error: unknown) => this.#failed(taken, error));
  }

  async #runAlone(taken: TakenRoot): Promise<void> {
    this.#alone = true;
    try {
      await this.#run(taken);
    } catch (error) {
      this.#failed(taken, error);
    } finally {
      this.#alone = false;
    }
  }

  #failed({ fence }: TakenRoot, error: unknown): void {
    this.#parts.log('error', 'a run could not be taken up', { run_id: fence.rootId, error });
  }

  async #run({ fence, attempts }: TakenRoot): Promise<RouteResponse | undefined> {
    const { store, stored } = this.#parts;
    this.#resumed++;
    try {
      const { rootId } = fence;
      const tree = await persist(this.#parts, rootId, async () =>
        RunTree.from(rootId, await store.load(rootId)),
      );
      // It is ours by now, and would stay so as long as this process lives.
      if (!tree) {
        await store.release(fence);
        return undefined;
      }
      if (attempts < mostAttempts) return await stored.resume(tree, fence);
      const message = `the process stopped ${attempts} times while it ran`;
      return await stored.fail(tree, fence, { code: 'crash_loop', message, status: 500 });
    } finally {
      this.#resumed--;
    }
  }
}
