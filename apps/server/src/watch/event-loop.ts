import type { Log, Trouble } from '@waymark/contract/engine';
import type { Culprit } from './current-call.ts';

/** How often the event loop is looked at; a turn is known to so many milliseconds. */
const tickMs = 20;

/** A turn that takes longer is logged. */
const slowMs = 100;

/** One line in so long. */
const quietMs = 1_000;

/** What is told is of the last ten seconds. */
const windowMs = 10_000;

/** The loop is a trouble once slow turns took so much of the window, and until they take less than that. */
const troubleMs = { from: 2_000, until: 500 };

/** What a watch of the event loop works with. */
export interface EventLoopParts {
  readonly log: Log;
  /** Milliseconds of a clock that is never set; default: `performance.now`. */
  readonly monotonic?: () => number;
  /** Milliseconds of CPU that the process has used; default: those of `process.cpuUsage`. */
  readonly cpuMs?: () => number;
  /** Tells whose turn it was, of so many milliseconds. */
  readonly culprit: (atMs: number, turnMs: number) => Culprit | undefined;
}

/** By how much one look at the event loop came too late. */
interface Delay {
  readonly atMs: number;
  readonly ms: number;
}

/**
 * Watches how long turns of the event loop take, and logs those over 100 ms with the call that had them.
 *
 * Not by `monitorEventLoopDelay`, which counts one long turn as one sample among hundreds of short ones: a turn of five
 * seconds would not be in its p99 of ten.
 */
export class EventLoop {
  readonly #parts: Required<EventLoopParts>;
  #timer: NodeJS.Timeout | undefined;
  #lookedMs = 0;
  #usedMs = 0;
  /** Of the window, oldest first: no more than it has ticks. */
  #delays: Delay[] = [];
  /** What `p99Ms` was when it was worked out last. */
  #worked = { atMs: Number.NaN, p99Ms: 0 };
  #loggedMs = Number.NEGATIVE_INFINITY;
  #leftOut = 0;
  #slow = false;

  constructor(parts: EventLoopParts) {
    this.#parts = { monotonic: () => performance.now(), cpuMs: processCpuMs, ...parts };
  }

  start(): void {
    const { monotonic, cpuMs, culprit } = this.#parts;
    this.#lookedMs = monotonic();
    this.#usedMs = cpuMs();
    // What came before has been somebody else's.
    culprit(this.#lookedMs, 0);
    this.#timer = setInterval(() => this.#look(), tickMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * How long something that comes at any moment of the last ten seconds waits for its turn, milliseconds: 99 of 100 wait no
   * longer. Worked out once for each look: everybody may ask for health, as often as they like.
   */
  get p99Ms(): number {
    if (this.#worked.atMs !== this.#lookedMs) this.#worked = { atMs: this.#lookedMs, p99Ms: this.#workOut() };
    return this.#worked.p99Ms;
  }

  /** `event-loop-slow` from when slow turns took two of the last ten seconds, until they take half of one. */
  troubles(): readonly Trouble[] {
    const slow = this.#recent().reduce((sum, { ms }) => sum + (ms > slowMs ? ms : 0), 0);
    this.#slow = slow > (this.#slow ? troubleMs.until : troubleMs.from);
    return this.#slow ? [trouble] : [];
  }

  #look(): void {
    const { monotonic, cpuMs, culprit } = this.#parts;
    const atMs = monotonic();
    const usedMs = cpuMs();
    const ms = atMs - this.#lookedMs - tickMs;
    const cpu = usedMs - this.#usedMs;
    const blamed = culprit(atMs, ms);
    this.#lookedMs = atMs;
    this.#usedMs = usedMs;
    // Timers are a millisecond late all the time.
    if (ms < 1) return;
    this.#delays = this.#recent();
    this.#delays.push({ atMs, ms });
    if (ms > slowMs) this.#tell(atMs, ms, cpu, blamed);
  }

  #workOut(): number {
    const delays = this.#recent()
      .map(({ ms }) => ms)
      .sort((a, b) => b - a);
    // Of what comes during a delay of d, the part that waits longer than x is d - x.
    let longer = 0;
    for (const [i, ms] of delays.entries()) {
      longer += ms;
      const next = delays[i + 1] ?? 0;
      if (longer - (i + 1) * next >= windowMs / 100) return (longer - windowMs / 100) / (i + 1);
    }
    return 0;
  }

  #recent(): Delay[] {
    const sinceMs = this.#parts.monotonic() - windowMs;
    const first = this.#delays.findIndex(({ atMs }) => atMs > sinceMs);
    return first === -1 ? [] : first === 0 ? this.#delays : this.#delays.slice(first);
  }

  #tell(atMs: number, ms: number, cpu: number, blamed: Culprit | undefined): void {
    if (atMs - this.#loggedMs < quietMs) {
      this.#leftOut++;
      return;
    }
    this.#parts.log('warn', 'a turn of the event loop took long', {
      duration_ms: Math.round(ms),
      // Where it is much less than the duration, the machine was busy with something else.
      cpu_ms: Math.round(cpu),
      ...(blamed && toFields(blamed)),
      ...(this.#leftOut > 0 && { left_out: this.#leftOut }),
    });
    this.#loggedMs = atMs;
    this.#leftOut = 0;
  }
}

const trouble: Trouble = {
  code: 'event-loop-slow',
  message:
    'Requests wait for the event loop, which is held up by long work: the log names each turn over 100 ms and its route.',
};

/** A call that is only the likely one is named as the last that came in. */
function toFields({ call, measured }: Culprit): Readonly<Record<string, string>> {
  return measured ? { ...call } : { last_route: call.route, last_request_id: call.request_id };
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
