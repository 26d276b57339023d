import type { RouteResponse, TakenRoot } from '@waymark/contract';
import type { EngineParts } from './engine-parts.ts';
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
  readonly #suspicious: TakenRoot[] = [];
  #resumed = 0;
  #alone = false;

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  /** Takes as many as there is room for. */
  async fill(): Promise<void> {
    const { store, holder, maxResumed, leaseMs, roots, log } = this.#parts;
    const room = maxResumed - this.#resumed - this.#suspicious.length;
    if (roots.draining || room <= 0 || this.#alone) return;
    for (const taken of await store.take(holder, room, leaseMs)) {
      if (taken.attempts >= suspiciousAttempts) this.#suspicious.push(taken);
      else
        void this.#run(taken).catch((error: unknown) =>
          log('error', 'a run could not be taken up', { run_id: taken.fence.rootId, error }),
        );
    }
    await this.#runSuspicious();
  }

  /** Goes on with one root, if nobody else does. @returns the answer of its route */
  async resume(rootId: string): Promise<RouteResponse | undefined> {
    const { store, holder, leaseMs, roots } = this.#parts;
    if (roots.draining) return undefined;
    const [taken] = await store.take(holder, 1, leaseMs, rootId);
    return taken && this.#run(taken);
  }

  /** One after another, when nothing else is resumed: the culprit does not spoil its neighbours. */
  async #runSuspicious(): Promise<void> {
    if (this.#alone || this.#resumed > 0 || this.#suspicious.length === 0) return;
    this.#alone = true;
    try {
      for (let taken = this.#suspicious.shift(); taken; taken = this.#suspicious.shift())
        await this.#run(taken).catch((error: unknown) =>
          this.#parts.log('error', 'a run could not be taken up', { error }),
        );
    } finally {
      this.#alone = false;
    }
  }

  async #run({ fence, attempts }: TakenRoot): Promise<RouteResponse | undefined> {
    const { store, stored } = this.#parts;
    this.#resumed++;
    try {
      const tree = RunTree.from(fence.rootId, await store.load(fence.rootId));
      if (!tree) return undefined;
      if (attempts < mostAttempts) return await stored.resume(tree, fence);
      const message = `the process stopped ${attempts} times while it ran`;
      return await stored.fail(tree, fence, { code: 'crash_loop', message, status: 500 });
    } finally {
      this.#resumed--;
    }
  }
}
