import type { Awaitable, Cancel } from '@waymark/contract/engine';
import type { EngineParts } from '../engine-parts.ts';
import type { Pool } from './pool.ts';
import type { Roots } from './roots.ts';

/** How often it is looked for roots that nobody executes, approvals whose time is over, and steps to be tried again. */
const lookMs = 1_000;

/** How often old roots are deleted, and at most so many in one transaction: the store's bound. */
const pruneMs = 60_000;

/** Roots and pool of a keeper, and its times. */
export interface KeeperParts extends EngineParts {
  readonly roots: Roots;
  readonly pool: Pool;
  readonly holder: string;
  readonly boot: string;
  readonly renewMs: number;
  readonly drainMs: number;
  readonly keepMs: number;
  readonly keepRuns: number;
}

/** Upkeep by the clock: roots are taken up and woken, leases renewed, approvals expire, old roots go. */
export class Keeper {
  readonly #parts: KeeperParts;
  readonly #timers = new Map<string, Cancel>();
  #leave: () => void = () => {};
  #stopping: Promise<void> | undefined;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  /** From here on callers may start runs: what is ours stays ours. */
  async start(): Promise<void> {
    const { store, holder, boot } = this.#parts;
    this.#leave = await store.enter(holder, boot);
    this.#every('renew', this.#parts.renewMs, () => this.renew());
  }

  /** What waits or was left behind is looked at first, then by the clock. */
  async ready(): Promise<void> {
    await this.endLeases();
    await this.expire();
    await this.wake();
    this.#every('look', lookMs, () => this.look());
    this.#every('prune', pruneMs, () => this.prune());
    // Not awaited: the doors open while runs go on.
    void this.fill().catch((error: unknown) =>
      this.#parts.log('error', 'runs could not be taken up', { error }),
    );
  }

  /** Ends what runs, within its time. Calling it twice is harmless. */
  stop(): Promise<void> {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#stopping ??= this.#drain();
    return this.#stopping;
  }

  /** Most often there is nothing to do, and one statement says so. */
  async look(): Promise<void> {
    const { store, holder } = this.#parts;
    const due = await store.due(holder);
    // None keeps the others from their work.
    await Promise.all([due.approvals && this.expire(), due.waits && this.wake(), due.roots && this.fill()]);
  }

  /** Roots of processes that are gone are taken at once. */
  async fill(): Promise<void> {
    await this.endLeases();
    await this.#parts.pool.fill();
  }

  /** Whoever cannot be found out about is waited for. */
  async endLeases(): Promise<void> {
    const { store, log } = this.#parts;
    try {
      const gone = await store.endLeases();
      if (gone > 0) log('info', 'processes that ran runs are gone', { processes: gone });
    } catch (error) {
      log('warn', 'leases of processes that are gone could not be ended', { error });
    }
  }

  /** One statement for all; a root that is not ours any more is dropped. */
  async renew(): Promise<void> {
    const { store, holder, leaseMs, roots } = this.#parts;
    const before = roots.ids;
    if (before.length === 0) return;
    const ours = new Set(await store.renew(holder, leaseMs, before));
    for (const rootId of before) if (!ours.has(rootId) && roots.has(rootId)) roots.cancel(rootId);
  }

  async expire(): Promise<void> {
    const { store, roots, pool, emit } = this.#parts;
    const woken = await store.expire();
    for (const rootId of woken) {
      emit({ kind: 'approval_decided', run_id: rootId, status: 'expired' });
      roots.feed.turn(rootId);
    }
    if (woken.length > 0) await pool.fill();
  }

  /** What waits for something outside is tried when it is due, however that came about. */
  async wake(): Promise<void> {
    const { store, roots, pool } = this.#parts;
    const woken = await store.wake();
    for (const rootId of woken) roots.feed.turn(rootId);
    if (woken.length > 0) await pool.fill();
  }

  async prune(): Promise<void> {
    const { store, keepMs, keepRuns } = this.#parts;
    while ((await store.prune(keepMs, keepRuns)) > 0);
  }

  /** What still runs stays ours. Not by the host's timers, which stand still by now. */
  async #drain(): Promise<void> {
    const { roots, renewMs, drainMs, log } = this.#parts;
    const renew = (): void =>
      void this.renew().catch((error: unknown) => log('error', 'leases could not be renewed', { error }));
    const renewing = setInterval(renew, renewMs);
    renew();
    await roots.drain(drainMs);
    clearInterval(renewing);
    this.#leave();
  }

  /** Again and again, one after another; what fails is logged and tried again. */
  #every(name: string, ms: number, task: () => Awaitable<void>): void {
    const { after, log } = this.#parts;
    const again = async (): Promise<void> => {
      try {
        await task();
      } catch (error) {
        log('error', 'the upkeep of runs failed', { task: name, error });
      }
      if (!this.#stopping) this.#timers.set(name, after(ms, again));
    };
    this.#timers.set(name, after(ms, again));
  }
}
