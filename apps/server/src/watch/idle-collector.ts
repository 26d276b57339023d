import { type EventLoopUtilization, performance } from 'node:perf_hooks';

/** How often it is looked at whether there is nothing to do. */
const lookMs = 5_000;

/** So many looks in a row that found the process idle, before V8 is asked: mostly it has collected by itself by then. */
const idleLooks = 4;

/** So many looks later it is done: V8 waits for 8 to 17 seconds after a collection, before it gives back what that left. */
const settledLooks = 4;

/** A process that works for less of its time is idle. */
const idleShare = 0.2;

/**
 * What has to be there, above what was left the last time, for a collection to be worth its time: 16 MiB. With 32 a
 * long attack left 88 MB once, which was not worth another one.
 */
const worthBytes = 16 * 1024 * 1024;

/** What it works with; those of the process where they are left out. */
export interface IdleCollectorParts {
  /** Bytes that the process holds. */
  readonly rss?: () => number;
  /** The share of its time that the process worked since the last call, from 0 to 1. */
  readonly utilization?: () => number;
  /** Has garbage collected. */
  readonly collect?: () => void;
}

/**
 * Has memory given back once a burst is over. V8 sees to its heap by itself: some seconds after a collection that left a larger
 * one it collects again and gives up what is free, as soon as little is allocated, or after 100 s. Bodies and texts of an attack
 * lie outside of the heap, and are held until the next collection, which a process with nothing to do may never need.
 *
 * Asks V8 for one when the process was idle for twenty seconds, and holds 16 MiB more than it was left with the last time.
 * Requests that come meanwhile wait for 20 to 30 ms (measured; a collection by `gc()` stopped them for 70 to 150).
 */
export class IdleCollector {
  readonly #parts: Required<IdleCollectorParts>;
  #timer: NodeJS.Timeout | undefined;
  #idle = 0;
  #isAsked = false;
  #leastBytes = 0;

  constructor(parts: IdleCollectorParts = {}) {
    this.#parts = {
      rss: process.memoryUsage.rss,
      utilization: utilizationOfLoop(),
      collect: haveCollected,
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
  }

  #look(): void {
    const { rss, utilization, collect } = this.#parts;
    const isIdle = utilization() < idleShare;
    const bytes = rss();
    this.#leastBytes = Math.min(this.#leastBytes, bytes);
    this.#idle = isIdle ? this.#idle + 1 : 0;
    if (!isIdle) this.#isAsked = false;
    if (this.#idle === idleLooks && bytes - this.#leastBytes >= worthBytes) {
      this.#isAsked = true;
      collect();
    }
    if (this.#idle < idleLooks + settledLooks) return;
    // What is left now lives, or cannot be given back: the same is not looked for again.
    if (this.#isAsked) this.#leastBytes = bytes;
    this.#isAsked = false;
    this.#idle = 0;
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

/** More than may come about outside of V8's heap since it collected, 64 MB, before it begins to mark. */
const nudgeBytes = 80 * 1024 * 1024;

/**
 * Lets V8 begin to collect as it does under load, in steps between other work. Nothing is written to what is asked for here, so
 * that the machine has not to give any of it.
 */
function haveCollected(): void {
  try {
    void new ArrayBuffer(nudgeBytes);
  } catch {
    // There is no room for so much, so that V8 has collected already.
  }
}
