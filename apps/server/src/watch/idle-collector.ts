import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often it is looked at whether there is nothing to do. */
const lookMs = 5_000;

/** So many looks in a row that found the process idle, before anything is collected. */
const idleLooks = 2;

/** A process that works for less of its time is idle: whoever comes in the wrong moment waits for 50 to 180 ms. */
const idleShare = 0.2;

/** Whether it is idle still is asked of so many milliseconds: a burst may have begun since it was looked at last. */
const confirmMs = 250;

/**
 * What has to be there, above what was left the last time, for a collection to be worth its pause: 16 MiB. With 32 a
 * long attack left 88 MB once, which was not worth another one.
 */
const worthBytes = 16 * 1024 * 1024;

/** What it works with; those of the process where they are left out. */
export interface IdleCollectorParts {
  /** Bytes that the process holds. */
  readonly rss?: () => number;
  /** The share of its time that the process worked since the last call, from 0 to 1. */
  readonly utilization?: () => number;
  /** Collects all garbage at once. */
  readonly collect?: () => void;
}

/**
 * Gives memory back once a burst is over: V8 collects when something is allocated, and a
 * process with nothing to do allocates nothing. Bodies and texts of the last seconds of an attack would be held until the
 * next one.
 *
 * Collects when the process was idle for ten seconds, and is still, and holds 16 MiB more than the last time: never under load,
 * once after each burst, and beside one only where that begins within the quarter of a second of which it is asked last.
 */
export class IdleCollector {
  readonly #parts: Required<IdleCollectorParts>;
  #timer: NodeJS.Timeout | undefined;
  #confirm: NodeJS.Timeout | undefined;
  #idle = 0;
  #leastBytes = 0;

  constructor(parts: IdleCollectorParts = {}) {
    this.#parts = {
      rss: process.memoryUsage.rss,
      utilization: utilizationOfLoop(),
      collect: createCollect(),
      ...parts,
    };
  }

  start(): void {
    this.#leastBytes = this.#parts.rss();
    this.#parts.utilization();
    this.#timer = setInterval(() => this.#look(), lookMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#confirm);
  }

  #look(): void {
    const { rss, utilization, collect } = this.#parts;
    this.#idle = utilization() < idleShare ? this.#idle + 1 : 0;
    const bytes = rss();
    this.#leastBytes = Math.min(this.#leastBytes, bytes);
    if (this.#idle < idleLooks || bytes - this.#leastBytes < worthBytes) return;
    this.#confirm = setTimeout(() => {
      if (utilization() >= idleShare) {
        this.#idle = 0;
        return;
      }
      collect();
      // What is left now lives, or cannot be given back: the same is not looked for again.
      this.#leastBytes = rss();
    }, confirmMs).unref();
  }
}

function utilizationOfLoop(): () => number {
  let last: EventLoopUtilization | undefined;
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = last ? performance.eventLoopUtilization(now, last) : now;
    last = now;
    return utilization;
  };
}

/**
 * The collector of V8, which has a name only where a flag asks for it; made when it is called for the first time. As a last
 * resort: the regular one leaves what it will give back by and by, which an idle process never does.
 */
function createCollect(): () => void {
  let collect: ((options: Readonly<Record<string, string>>) => void) | undefined;
  return () => {
    if (!collect) {
      setFlagsFromString('--expose-gc');
      collect = runInNewContext('gc') as NonNullable<typeof collect>;
      setFlagsFromString('--no-expose-gc');
    }
    collect({ type: 'major', flavor: 'last-resort' });
  };
}
