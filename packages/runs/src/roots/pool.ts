import type { RouteResponse } from '@waymark/contract/engine';
import type { RunError, TakenRoot } from '@waymark/contract/stores';
import type { EngineParts } from '../engine-parts.ts';
import { persist } from '../journal/persist.ts';
import { RunTree } from '../journal/run-tree.ts';
import type { Roots } from './roots.ts';
import type { StoredRoots } from './stored-roots.ts';

/** Legs without a new step after which a root is given up. */
const mostAttempts = 5;

/** The last attempt of a suspect: nothing beside it may be what ends the process. */
const lastAttempt = mostAttempts - 1;

/** A suspect that has not ended the process by then is watched no longer: most of them are innocent. */
const watchMs = 2_000;

/** Whoever had the input of a root in memory is gone, and it with them. */
const interrupted: RunError = {
  code: 'interrupted',
  message: 'the process stopped while it ran, and its input was not stored',
  status: 500,
};

/** Roots of a pool, and how many it takes. */
export interface PoolParts extends EngineParts {
  readonly roots: Roots;
  readonly stored: StoredRoots;
  /** This process. */
  readonly holder: string;
  readonly maxResumed: number;
}

/**
 * Takes roots that nobody executes, and goes on with them.
 *
 * A root that was under way when processes died may be what ended them. Such suspects begin one after another, each when the
 * one before has stored a step, has ended, or has run for a while: the innocent are soon none any more, and the culprit is
 * found. All others go on meanwhile.
 */
export class Pool {
  readonly #parts: PoolParts;
  #resumed = 0;
  /** There were more than could be taken. */
  #full = false;
  #watching = false;
  #filling: Promise<void> | undefined;
  #again = false;

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  /** Takes as many as there is room for, and a suspect, if none is watched. */
  async fill(): Promise<void> {
    this.#again = true;
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined;
    });
    await this.#filling;
  }

  /** Whoever asks meanwhile may know of roots that were not there yet: they are looked for once more. */
  async #fill(): Promise<void> {
    while (this.#again && !this.#parts.roots.draining) {
      this.#again = false;
      await this.#takeRoots();
      if (!this.#watching) await this.#takeSuspect();
    }
  }

  async #takeRoots(): Promise<void> {
    const { store, holder, maxResumed, leaseMs, roots } = this.#parts;
    const room = maxResumed - this.#resumed;
    const taken = room > 0 ? await store.take(holder, room, leaseMs, undefined, roots.ids) : [];
    this.#full = taken.length >= room;
    for (const one of taken) void this.#begin(one);
  }

  async #takeSuspect(): Promise<void> {
    const { store, holder, leaseMs, roots, after } = this.#parts;
    const taken = await store.takeSuspect(holder, leaseMs, roots.ids);
    if (!taken) return;
    this.#watching = true;
    const cleared = (): void => {
      if (!this.#watching) return;
      this.#watching = false;
      cancel();
      this.#refill();
    };
    const cancel = taken.attempts < lastAttempt ? after(watchMs, cleared) : () => {};
    void this.#begin(taken, cleared).then(cleared);
  }

  /** Goes on with one root, if nobody else does. @returns the answer of its route, or that it is left to the newer release */
  async resume(rootId: string): Promise<RouteResponse | undefined> {
    const { store, holder, leaseMs, roots } = this.#parts;
    if (roots.draining) return undefined;
    const [taken] = await store.take(holder, 1, leaseMs, rootId, roots.ids);
    return taken ? this.goOn(taken) : this.#left(rootId);
  }

  /** The answer to whoever made a root go that is left to the newer release; undefined: it is not. */
  async #left(rootId: string): Promise<RouteResponse | undefined> {
    const { store, holder, stored } = this.#parts;
    if (!(await store.isLeft(rootId, holder))) return undefined;
    const tree = RunTree.from(rootId, await store.load(rootId));
    return tree && stored.left(tree);
  }

  /** Goes on with a root that was taken. @returns the answer of its route */
  async goOn({ fence, attempts }: TakenRoot, onStep?: () => void): Promise<RouteResponse | undefined> {
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
      if (tree.root.call?.transient) return await stored.fail(tree, fence, interrupted);
      if (attempts < mostAttempts) return await stored.resume(tree, fence, onStep);
      const message = `the process stopped ${attempts} times while it ran`;
      return await stored.fail(tree, fence, { code: 'crash_loop', message, status: 500 });
    } finally {
      this.#resumed--;
    }
  }

  /** @param onStep told when it has stored something */
  async #begin(taken: TakenRoot, onStep?: () => void): Promise<void> {
    try {
      await this.goOn(taken, onStep);
    } catch (error) {
      const { rootId } = taken.fence;
      this.#parts.log('error', 'a run could not be taken up', { run_id: rootId, error });
    }
    if (this.#full) this.#refill();
  }

  #refill(): void {
    void this.fill().catch((error: unknown) =>
      this.#parts.log('error', 'runs could not be taken up', { error }),
    );
  }
}
