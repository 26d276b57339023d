import type { Host } from '@waymark/contract/engine';
import type { StepTail } from '@waymark/contract/runs';
import type { AuditPage, AuditPlace, AuditStore } from '@waymark/contract/stores';
import { EventRing, type RingPlace } from './event-ring.ts';
import { lostSteps } from './feed-event.ts';
import { mergeSteps } from './merge-steps.ts';

/** How long after one look at the store the next one comes, while somebody listens. */
const pauseMs = 250;

/** Records that are read at once. */
const pageSize = 256;

/** Events that are held for all who listen, and told to somebody who comes back. */
export const heldEvents = { events: 1_000, length: 2 * 1_048_576 };

/** What a tail looks at. */
export interface TailParts {
  readonly audit: AuditStore;
  /** Absent: there are no runs. */
  readonly steps?: () => StepTail;
  readonly after: Host['after'];
  readonly log: Host['log'];
}

/** Somebody who listens. */
export interface Listener {
  /** Whether it is told of steps. */
  readonly steps: boolean;
  readonly wake: () => void;
}

/**
 * Reads the audit log to its end again and again, and with it the steps of runs, once for all who listen. It is there as long as
 * somebody is: nothing in a run, in a route or in the log knows of it, and other processes on the same database are heard alike.
 */
export class Tail {
  readonly ring = new EventRing(heldEvents);
  readonly #parts: TailParts;
  readonly #listeners = new Set<Listener>();
  #head: AuditPlace = { n: 0, id: '' };
  #steps: StepTail | undefined;
  #began: Promise<void> | undefined;
  #stopped = false;
  #fails = false;
  #cancel = (): void => {};

  constructor(parts: TailParts) {
    this.#parts = parts;
  }

  /** Whether the last one who listened has left. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** The place of the last event that was read. */
  get head(): AuditPlace {
    return this.#head;
  }

  /** @returns where it begins to listen: behind what there is */
  async enter(listener: Listener): Promise<{ readonly place: RingPlace; readonly head: AuditPlace }> {
    this.#listeners.add(listener);
    if (listener.steps) await this.#beginSteps();
    this.#began ??= this.#begin();
    try {
      await this.#began;
    } catch (error) {
      // Whoever comes next tries again.
      this.#began = undefined;
      throw error;
    }
    return { place: this.ring.end, head: this.#head };
  }

  /** @returns whether nobody listens any more: then it has stopped */
  leave(listener: Listener): boolean {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return false;
    this.#stopped = true;
    this.#cancel();
    return true;
  }

  async #begin(): Promise<void> {
    const { newest } = await this.#parts.audit.following(Number.MAX_SAFE_INTEGER, 0);
    this.#head = newest;
    this.#lookLater();
  }

  async #beginSteps(): Promise<void> {
    if (this.#steps || !this.#parts.steps) return;
    const steps = this.#parts.steps();
    await steps.read([]);
    // Somebody who came together with this one may have been earlier.
    this.#steps ??= steps;
  }

  #lookLater(): void {
    if (this.#stopped) return;
    this.#cancel = this.#parts.after(pauseMs, async () => {
      try {
        await this.#look();
        this.#fails = false;
      } catch (error) {
        if (!this.#fails) this.#parts.log('warn', 'the feed cannot read what happened', { error });
        this.#fails = true;
      }
      this.#lookLater();
    });
  }

  async #look(): Promise<void> {
    const { records, skipped } = await this.#read();
    // Read later, so that what a run did before its end is among them.
    const news = await this.#steps?.read(records.map(({ record }) => record));
    const { steps = [], missed = false } = news ?? {};
    if (skipped) this.ring.skip(skipped);
    if (missed) this.ring.put(lostSteps(this.#head));
    for (const event of mergeSteps(records, steps, this.#head)) this.ring.put(event);
    const last = records.at(-1);
    if (last) this.#head = { n: last.n, id: last.record.id };
    if (last || steps.length > 0 || skipped || missed) for (const { wake } of this.#listeners) wake();
  }

  /** What came since the last look: no more than is held, and of the rest how many of each kind. */
  async #read(): Promise<{
    readonly records: AuditPage['records'];
    readonly skipped?: ReadonlyMap<string, number>;
  }> {
    const { audit } = this.#parts;
    let { n } = this.#head;
    const first = await audit.following(n, pageSize);
    // The file is another one, or an older state of it.
    if (first.newest.n < n) n = 0;
    const from = Math.max(n, first.newest.n - heldEvents.events);
    const skipped = from > n ? await audit.countKinds(n, from) : undefined;
    let page = from === this.#head.n ? first : await audit.following(from, pageSize);
    const records = [...page.records];
    while (page.records.length === pageSize && records.length < heldEvents.events) {
      page = await audit.following(records.at(-1)?.n ?? from, pageSize);
      records.push(...page.records);
    }
    return skipped ? { records, skipped } : { records };
  }
}
