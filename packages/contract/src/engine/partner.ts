/** What is counted of calls is of so long at most; of half as long at least. */
const windowMs = 4_000;

/** A failure is of note where of the calls of the window one in so many failed, or where so many failed in a row. */
const noted = { share: 10, row: 3 } as const;

/** What failed and answers again is told of for so long, so that whoever looks now and then sees it. */
const shownMs = 3_000;

/** Whom nobody has asked for so long after a failure is not told of any more: nobody knows how it is. */
const forgottenMs = 60_000;

/** How somebody outside fails. */
export interface PartnerFailure {
  /** What it does, in a few words of ours. */
  readonly fault: string;
  /** So long ago it began, milliseconds. */
  readonly forMs: number;
}

/** Calls and answers until a moment. */
interface Mark {
  readonly atMs: number;
  readonly answered: number;
  readonly failed: number;
}

interface Noted {
  readonly fault: string;
  readonly sinceMs: number;
  readonly lastMs: number;
  /** Answers until then. */
  readonly answered: number;
}

/**
 * Somebody outside whom the service asks: an issuer, an upstream, a provider of models, a receiver of webhooks, a camera.
 * Each call says how it went, where that lies with whom it asked: not what its caller did wrong, nor that it was given up.
 *
 * It fails from the first failure of note, one in ten calls of the last seconds or three in a row; until it has answered
 * again and three seconds have passed, or until nobody has asked it for a minute. An answer costs an addition.
 */
export class Partner {
  readonly #monotonic: () => number;
  readonly #forgottenMs: number;
  #answered = 0;
  #failed = 0;
  /** Failures behind the last answer. */
  #row = 0;
  #answeredBefore = 0;
  /** Where the window begins, and where the next one will. */
  #begin: Mark;
  #next: Mark;
  #noted: Noted | undefined;

  constructor(monotonic: () => number, forgotten: number = forgottenMs) {
    this.#monotonic = monotonic;
    this.#forgottenMs = forgotten;
    this.#next = { atMs: monotonic(), answered: 0, failed: 0 };
    this.#begin = this.#next;
  }

  /** A call was answered as it should be. */
  answered(): void {
    this.#answered++;
  }

  /** A call failed. @param fault what the partner does, in a few words of ours: `answers 503` */
  failed(fault: string): void {
    const nowMs = this.#monotonic();
    const before = this.#current(nowMs);
    this.#turn(nowMs);
    this.#failed++;
    this.#row = this.#answered === this.#answeredBefore ? this.#row + 1 : 1;
    this.#answeredBefore = this.#answered;
    const failed = this.#failed - this.#begin.failed;
    const calls = failed + this.#answered - this.#begin.answered;
    if (failed * noted.share < calls && this.#row < noted.row) return;
    this.#noted = { fault, sinceMs: before?.sinceMs ?? nowMs, lastMs: nowMs, answered: this.#answered };
  }

  /** How it fails at the moment; undefined where it does not. */
  get failure(): PartnerFailure | undefined {
    const nowMs = this.#monotonic();
    this.#turn(nowMs);
    this.#noted = this.#current(nowMs);
    return this.#noted && { fault: this.#noted.fault, forMs: nowMs - this.#noted.sinceMs };
  }

  #current(nowMs: number): Noted | undefined {
    const last = this.#noted;
    if (!last) return undefined;
    const untilMs = last.lastMs + (this.#answered > last.answered ? shownMs : this.#forgottenMs);
    return nowMs < untilMs ? last : undefined;
  }

  /** The window moves on by half of itself. */
  #turn(nowMs: number): void {
    if (nowMs - this.#next.atMs < windowMs / 2) return;
    this.#begin = this.#next;
    this.#next = { atMs: nowMs, answered: this.#answered, failed: this.#failed };
  }
}
