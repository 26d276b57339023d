import { LRUCache } from 'lru-cache';

/** How fast a bucket fills, and how much it holds. */
export interface BucketSize {
  readonly perSecond: number;
  readonly burst: number;
}

/** Far below any token, far above what additions of fractions lose. */
const rounding = 1e-6;

/** Full at first; each use takes from it, and time fills it again. Clocks that go backwards add nothing. */
export class TokenBucket {
  readonly #size: BucketSize;
  #tokens: number;
  #atMs: number;

  constructor(size: BucketSize, nowMs: number) {
    this.#size = size;
    this.#tokens = size.burst;
    this.#atMs = nowMs;
  }

  /** Takes all of `cost`, or nothing. More than the bucket can ever hold is taken as a whole bucket. */
  take(cost: number, nowMs: number): boolean {
    const wanted = Math.min(cost, this.#size.burst);
    this.#fill(nowMs);
    if (this.#tokens < wanted - rounding) return false;
    this.#tokens = Math.max(0, this.#tokens - wanted);
    return true;
  }

  /** What could be taken now; a fraction counts for nothing. */
  left(nowMs: number): number {
    this.#fill(nowMs);
    return Math.floor(this.#tokens + rounding);
  }

  /** Whole seconds until `cost` could be taken; 0 when it can be taken now. */
  secondsUntil(cost: number, nowMs: number): number {
    this.#fill(nowMs);
    const missing = Math.min(cost, this.#size.burst) - this.#tokens;
    // What is missing by rounding only is not missing.
    return missing <= rounding ? 0 : Math.ceil(missing / this.#size.perSecond - rounding);
  }

  #fill(nowMs: number): void {
    if (nowMs <= this.#atMs) return;
    const { perSecond, burst } = this.#size;
    this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#atMs) / 1000) * perSecond);
    this.#atMs = nowMs;
  }
}

/** How many callers are remembered. An idle bucket is full, and forgetting a full bucket changes nothing. */
export const maxBuckets = 10_000;

/** A bucket for each key; beyond `max` the one that was unused for longest is forgotten. */
export class TokenBuckets {
  readonly #size: BucketSize;
  readonly #max: number;
  /** Made with its first bucket: it takes room for all that it may hold at once. */
  #buckets: LRUCache<string, TokenBucket> | undefined;

  constructor(size: BucketSize, max: number = maxBuckets) {
    this.#size = size;
    this.#max = max;
  }

  /** How many are remembered. */
  get count(): number {
    return this.#buckets?.size ?? 0;
  }

  /** The bucket of a key; a full one when none is remembered. */
  of(key: string, nowMs: number): TokenBucket {
    this.#buckets ??= new LRUCache({ max: this.#max });
    const known = this.#buckets.get(key);
    if (known) return known;
    const bucket = new TokenBucket(this.#size, nowMs);
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** The bucket of a key, if one is remembered: who only asks takes no room. */
  known(key: string): TokenBucket | undefined {
    return this.#buckets?.get(key);
  }
}
