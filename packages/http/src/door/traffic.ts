/** Spans of time that are counted apart, and how many of them are kept: a day. */
const spanMs = 60_000;
const keptSpans = 1_440;

/** Each duration counts in the first class whose end it does not reach: from 1 ms on, each a quarter longer than the one before. */
const growth = 1.25;
const classes = 64;

/** Requests of a while that were answered. Durations are upper bounds, a quarter too long at most. */
export interface TrafficCount {
  readonly requests: number;
  /** Of those: answered 4xx. */
  readonly clientErrors: number;
  /** Answered 5xx. */
  readonly serverErrors: number;
  /** Milliseconds until the whole answer was sent, of all but streams without an end; null where there was none. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

interface Span {
  /** Counted from when the process began. */
  readonly number: number;
  requests: number;
  clientErrors: number;
  serverErrors: number;
  readonly durations: Uint32Array;
}

/** Counts answers by the minute. To count one takes less than a tenth of a microsecond. */
export class Traffic {
  readonly #monotonic: () => number;
  readonly #spans: Span[] = [];

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** @param ms undefined: how long it took says nothing */
  add(status: number, ms: number | undefined): void {
    const span = this.#current();
    span.requests++;
    if (status >= 500) span.serverErrors++;
    else if (status >= 400) span.clientErrors++;
    if (ms === undefined) return;
    const place = classOf(ms);
    span.durations[place] = (span.durations[place] ?? 0) + 1;
  }

  /** Counts a while up to now, in whole minutes: the one it begins in is counted. */
  count(windowMs: number): TrafficCount {
    const from = Math.floor((this.#monotonic() - windowMs) / spanMs);
    const spans = this.#spans.filter(({ number }) => number >= from);
    const sum = (of: (span: Span) => number): number => spans.reduce((all, span) => all + of(span), 0);
    const durations = Array.from({ length: classes }, (_, i) => sum((span) => span.durations[i] ?? 0));
    return {
      requests: sum((span) => span.requests),
      clientErrors: sum((span) => span.clientErrors),
      serverErrors: sum((span) => span.serverErrors),
      p50Ms: percentile(durations, 0.5),
      p95Ms: percentile(durations, 0.95),
      p99Ms: percentile(durations, 0.99),
    };
  }

  #current(): Span {
    const number = Math.floor(this.#monotonic() / spanMs);
    const last = this.#spans.at(-1);
    if (last?.number === number) return last;
    const span = {
      number,
      requests: 0,
      clientErrors: 0,
      serverErrors: 0,
      durations: new Uint32Array(classes),
    };
    this.#spans.push(span);
    while (this.#spans[0] && this.#spans[0].number <= number - keptSpans) this.#spans.shift();
    return span;
  }
}

function classOf(ms: number): number {
  if (ms < 1) return 0;
  return Math.min(classes - 1, 1 + Math.floor(Math.log(ms) / Math.log(growth)));
}

/** The end of the class in which so many of all durations have been met. */
function percentile(durations: readonly number[], share: number): number | null {
  const all = durations.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let left = Math.ceil(all * share);
  const place = durations.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  return Math.round(growth ** place * 100) / 100;
}
