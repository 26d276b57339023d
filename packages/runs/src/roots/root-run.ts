import type { Json } from '@waymark/contract';
import type { Principal } from '@waymark/contract/principal';
import type { Fence } from '@waymark/contract/stores';
import type { EngineParts } from '../engine-parts.ts';
import { persist } from '../journal/persist.ts';
import { RunTree } from '../journal/run-tree.ts';
import type { Body } from '../leg/body-end.ts';
import { Leg } from '../leg/leg.ts';
import type { Feed } from '../told/feed.ts';

/** The way a root left this process, and its rows. `lost`: cancelled, or another's by now. */
export interface RootEnd {
  readonly how: 'ended' | 'waiting' | 'released' | 'lost';
  readonly tree: RunTree;
}

/** Rows, fence, caller and time of a root that is executed. */
export interface RootStart {
  readonly tree: RunTree;
  readonly fence: Fence;
  readonly caller: Principal;
  readonly scopes: readonly string[];
  /** Of active time, for each leg. */
  readonly legMs: number;
  /** Told what is stored and written. */
  readonly feed: Feed;
  /** Told when something was stored. */
  readonly onStep?: (() => void) | undefined;
  /** Told when something could not be stored, and is tried again. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/** A root that this process executes: leg after leg, as long as decisions come while it would have parked. */
export class RootRun {
  readonly rootId: string;
  readonly #parts: EngineParts;
  readonly #start: RootStart;
  #leg: Leg | undefined;
  #draining = false;

  constructor(parts: EngineParts, start: RootStart) {
    this.rootId = start.tree.rootId;
    this.#parts = parts;
    this.#start = start;
  }

  async drive(body: Body): Promise<RootEnd> {
    const { monotonic, store } = this.#parts;
    let { tree, fence } = this.#start;
    for (;;) {
      const deadlineMs = monotonic() + this.#start.legMs;
      this.#leg = new Leg(this.#parts, { ...this.#start, tree, fence, deadlineMs });
      if (this.#draining) this.#leg.drain();
      const end = await this.#leg.run(body);
      this.#leg = undefined;
      if (end === 'ended') return { how: 'ended', tree: await this.#complete(tree) };
      if (end === 'lost') return { how: 'lost', tree };
      if (end === 'released' || end === 'disturbed') {
        const why = this.#parts.failed() ? 'attempted' : end === 'disturbed' ? end : undefined;
        await this.#persist(async () => store.release(fence, why, this.#unwritten));
        return { how: 'released', tree };
      }
      if (end === 'again') {
        tree = (await this.#load()) ?? tree;
        continue;
      }
      const parked = await this.#persist(() => store.park(fence, this.#unwritten));
      if (!parked || parked.outcome === 'lost') return { how: 'lost', tree };
      if (parked.outcome === 'parked') {
        tree.putRun({ ...tree.root, status: 'waiting' });
        // Until when it waits is said by the store's clock.
        return { how: 'waiting', tree: tree.waits.length > 0 ? ((await this.#load()) ?? tree) : tree };
      }
      if (parked.outcome === 'woken') fence = parked.fence;
      tree = (await this.#load()) ?? tree;
    }
  }

  /** The root is cancelled, or not ours any more. */
  cancel(): void {
    this.#leg?.cancel();
  }

  /** Lets what runs come to an end and begins nothing new. */
  drain(): void {
    this.#draining = true;
    this.#leg?.drain();
  }

  giveUp(): void {
    this.#leg?.giveUp();
  }

  /** Of a transient call, which stays one until this root waits or is given back, and is not ours any more. */
  get #unwritten(): Json | undefined {
    const { call } = this.#start.tree.root;
    return call?.transient ? call.values : undefined;
  }

  /** Numbers of approvals that ended with the run are known to the store alone. */
  async #complete(tree: RunTree): Promise<RunTree> {
    const open = tree.approvals.some(
      ({ status, decidedOrd }) => status === 'withdrawn' && decidedOrd === null,
    );
    return open ? ((await this.#load()) ?? tree) : tree;
  }

  #load(): Promise<RunTree | undefined> {
    const { store } = this.#parts;
    return this.#persist(async () => RunTree.from(this.rootId, await store.load(this.rootId)));
  }

  #persist<T>(work: () => Promise<T>): Promise<T | undefined> {
    return persist(this.#parts, this.rootId, work, { failed: this.#start.onFailure });
  }
}
