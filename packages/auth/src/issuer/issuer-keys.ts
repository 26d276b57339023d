import type { createLocalJWKSet, JWK } from 'jose';

/** Older keys are read anew, while they go on being used. */
const freshMs = 10 * 60_000;
/** Older keys are not used: whatever was taken back since then would still be good. */
const usableMs = 60 * 60_000;
/** Between two readings for the sake of keys that nobody knows: anybody can name one. */
const unknownPauseMs = 60_000;
/** Between two readings of which the first has failed. */
const retryPauseMs = 5_000;

/** What a token says of the key it is signed with. */
export interface KeyHint {
  readonly alg: string;
  readonly kid?: string;
}

type PublicKey = Awaited<ReturnType<ReturnType<typeof createLocalJWKSet>>>;

/** What became of the search for a key. `unreadable`: the issuer could not be asked, so nothing is known of the token. */
export type FoundKey =
  | { readonly found: 'key'; readonly key: PublicKey }
  | { readonly found: 'none' }
  | { readonly found: 'unreadable' };

/** What an issuer's keys are kept with. */
export interface IssuerKeysOptions {
  /** Reads all keys anew. */
  read(): Promise<readonly JWK[]>;
  /** Milliseconds of a clock that only goes forward. */
  monotonic(): number;
  /** Told why keys could not be read. */
  onFailure(error: unknown): void;
}

/**
 * The published keys of one issuer, as they were last read.
 *
 * Read when they are first needed, by one reading for everybody who waits; then in the background after ten minutes, and
 * at once for a key that nobody knows, once a minute at most: an issuer that has changed its keys is understood, and a
 * flood of made-up keys costs it nothing. An issuer that cannot be reached is asked every five seconds at most, and its
 * keys are good for an hour.
 */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  #known:
    | {
        readonly find: ReturnType<typeof createLocalJWKSet>;
        readonly marks: ReadonlySet<string>;
        readonly atMs: number;
      }
    | undefined;
  #reading: Promise<void> | undefined;
  #failedAtMs: number | undefined;
  #unknownAtMs = Number.NEGATIVE_INFINITY;
  #generation = 0;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  /** Grows whenever a key is gone: what was verified before may have been verified with it. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether what was verified in a generation is good still. Has keys read anew that are old. */
  isCurrent(generation: number): boolean {
    this.#keepFresh();
    return generation === this.#generation && this.#ageMs() <= usableMs;
  }

  /** The key that fits. Never rejects; waits only for a reading that it needs. */
  async find(hint: KeyHint): Promise<FoundKey> {
    this.#keepFresh();
    if (this.#ageMs() > usableMs) await this.#reading;
    const known = await this.#lookUp(hint);
    if (known.found !== 'none') return known;
    this.#readForUnknown();
    await this.#reading;
    const found = await this.#lookUp(hint);
    // Had the last reading not failed, the key might be there.
    return found.found === 'none' && this.#failedAtMs !== undefined ? { found: 'unreadable' } : found;
  }

  async #lookUp({ alg, kid }: KeyHint): Promise<FoundKey> {
    if (!this.#known || this.#ageMs() > usableMs) return { found: 'unreadable' };
    try {
      return { found: 'key', key: await this.#known.find({ alg, ...(kid !== undefined && { kid }) }) };
    } catch {
      // None fits, or several, or the one that does is no key to verify with.
      return { found: 'none' };
    }
  }

  #readForUnknown(): void {
    const nowMs = this.#options.monotonic();
    if (this.#failedAtMs === undefined && nowMs - this.#unknownAtMs < unknownPauseMs) return;
    this.#unknownAtMs = nowMs;
    this.#read();
  }

  #keepFresh(): void {
    if (this.#ageMs() > freshMs) this.#read();
  }

  #ageMs(): number {
    return this.#known ? this.#options.monotonic() - this.#known.atMs : Number.POSITIVE_INFINITY;
  }

  /** Begins a reading, unless one is under way, or has just failed. */
  #read(): void {
    const { read, monotonic, onFailure } = this.#options;
    if (this.#reading) return;
    if (this.#failedAtMs !== undefined && monotonic() - this.#failedAtMs < retryPauseMs) return;
    this.#reading = read()
      .then((keys) => this.#learn(keys))
      .catch((error: unknown) => {
        this.#failedAtMs = monotonic();
        onFailure(error);
      })
      .finally(() => {
        this.#reading = undefined;
      });
  }

  async #learn(keys: readonly JWK[]): Promise<void> {
    const { createLocalJWKSet } = await import('jose');
    const find = createLocalJWKSet({ keys: [...keys] });
    const marks = new Set(keys.map(toMark));
    for (const mark of this.#known?.marks ?? [])
      if (!marks.has(mark)) {
        this.#generation++;
        break;
      }
    this.#known = { find, marks, atMs: this.#options.monotonic() };
    this.#failedAtMs = undefined;
  }
}

/** What makes a key another one. */
function toMark({ kid, kty, use, alg, n, e, crv, x, y }: JWK): string {
  return JSON.stringify([kid, kty, use, alg, n, e, crv, x, y]);
}
