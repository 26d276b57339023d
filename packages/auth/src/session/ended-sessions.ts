import type { EndedSession } from '@waymark/contract/principal';

/** What was ended of the sessions of one holder. */
interface Ended {
  /** Ids with when they were issued and when they expire, in the order in which they were ended. */
  readonly ids: Map<string, { readonly issuedAtMs: number; readonly expiresAtMs: number }>;
  /** Sessions that were issued up to here are refused, whether they were ended or not. */
  floorMs: number;
}

/**
 * The sessions that were ended before their time, until that has come, and longer where there is room: a clock may be set back.
 *
 * Bounded: when it is full, the holder with the most gives up its oldest one, and all of its sessions that were issued up
 * to then are refused instead. So what was ended never comes back, and who ends many sessions signs nobody out but
 * themselves. Only where everybody has one left do all pay: what was issued up to the one that had to go is refused.
 */
export class EndedSessions {
  readonly #size: number;
  readonly #lastsMs: number;
  readonly #holders = new Map<string, Ended>();
  #floorMs = Number.NEGATIVE_INFINITY;
  #held = 0;

  /** @param size sessions that are remembered, 1 or more, and as many holders @param lastsMs the longest that one lasts */
  constructor(size: number, lastsMs: number) {
    this.#size = size;
    this.#lastsMs = lastsMs;
  }

  /** Sessions that are remembered. */
  get held(): number {
    return this.#held;
  }

  has({ id, holder, issuedAtMs }: Pick<EndedSession, 'id' | 'holder' | 'issuedAtMs'>): boolean {
    if (issuedAtMs <= this.#floorMs) return true;
    const ended = this.#holders.get(holder);
    return ended !== undefined && (issuedAtMs <= ended.floorMs || ended.ids.has(id));
  }

  /** Without an id: all sessions of the holder that were issued up to then. */
  add({ id, holder, issuedAtMs, expiresAtMs }: EndedSession, nowMs: number): void {
    if (this.has({ id, holder, issuedAtMs })) return;
    if (holder === '') {
      this.#floorMs = issuedAtMs;
      return;
    }
    if (this.#isFull) this.#sweep(nowMs);
    while (this.#isFull) this.#evict();
    const ended = this.#holders.get(holder) ?? { ids: new Map(), floorMs: Number.NEGATIVE_INFINITY };
    this.#holders.set(holder, ended);
    if (id === '') ended.floorMs = issuedAtMs;
    else {
      ended.ids.set(id, { issuedAtMs, expiresAtMs });
      this.#held++;
    }
  }

  /** Of holders some may be left without a session: what they have to sign in again for. */
  get #isFull(): boolean {
    return this.#held >= this.#size || this.#holders.size >= this.#size;
  }

  /** Forgets what has expired by itself. */
  #sweep(nowMs: number): void {
    for (const [holder, ended] of this.#holders) {
      for (const [id, { expiresAtMs }] of ended.ids)
        if (expiresAtMs <= nowMs) {
          ended.ids.delete(id);
          this.#held--;
        }
      if (ended.ids.size === 0 && ended.floorMs + this.#lastsMs <= nowMs) this.#holders.delete(holder);
    }
  }

  #evict(): void {
    let largest: Ended | undefined;
    for (const ended of this.#holders.values())
      if (ended.ids.size > (largest?.ids.size ?? 1)) largest = ended;
    if (largest) this.#evictFrom(largest);
    else this.#evictHolder();
  }

  #evictFrom(ended: Ended): void {
    let oldest: string | undefined;
    let issuedAtMs = Number.POSITIVE_INFINITY;
    for (const [id, one] of ended.ids)
      if (one.issuedAtMs < issuedAtMs) {
        oldest = id;
        issuedAtMs = one.issuedAtMs;
      }
    ended.floorMs = Math.max(ended.floorMs, issuedAtMs);
    ended.ids.delete(oldest ?? '');
    this.#held--;
  }

  /** Each has one at most: the first holder goes, and the floor of all rises over what it held. */
  #evictHolder(): void {
    const [first] = this.#holders;
    if (!first) return;
    const [holder, { ids, floorMs }] = first;
    for (const ms of [floorMs, ...[...ids.values()].map(({ issuedAtMs }) => issuedAtMs)])
      this.#floorMs = Math.max(this.#floorMs, ms);
    this.#holders.delete(holder);
    this.#held -= ids.size;
  }
}
