import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { collectInSteps } from './collect-in-steps.ts';

/** How often it is looked at whether there is nothing to do. */
const lookMs = 5_000;

/** So many looks in a row that found the process idle, before anything is collected. */
const idleLooks = 2;

/** So many looks it is collected in, while there is more to be had: V8 may be about another collection the first time. */
const collections = 2;

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
  /** Has all garbage collected, soon. */
  readonly collect?: () => unknown;
}

/**
 * Gives memory back once a burst is over: V8 collects when something is allocated, and a process with nothing to do allocates
 * nothing; what it has collected it keeps for later. Bodies and texts of the last seconds of an attack would be held until the
 * next one.
 *
 * Collects when the process was idle for ten seconds, and holds 16 MiB more than it was left with the last time: never under load,
 * and so that requests that come meanwhile wait for 10 to 30 ms.
 */
export class IdleCollector {
  readonly #parts: Required<IdleCollectorParts>;
  #timer: NodeJS.Timeout | undefined;
  #idle = 0;
  #hasCollected = false;
  #leastBytes = 0;

  constructor(parts: IdleCollectorParts = {}) {
    this.#parts = {
      rss: process.memoryUsage.rss,
      utilization: utilizationOfLoop(),
      collect: collectInSteps,
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
    if (!isIdle) this.#hasCollected = false;
    if (this.#idle < idleLooks) return;
    if (this.#idle < idleLooks + collections) {
      if (bytes - this.#leastBytes < worthBytes) return;
      this.#hasCollected = true;
      collect();
      return;
    }
    // What is left now lives, or cannot be given back: the same is not looked for again.
    if (this.#hasCollected) this.#leastBytes = bytes;
    this.#hasCollected = false;
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
