import type { Awaitable, Cancel } from '../json.ts';

/** A clock that stands still until a test moves it. */
export interface FixedClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Runs a task once, `ms` from now: when the clock is moved there, never by itself. */
  after(ms: number, task: () => Awaitable<void>): Cancel;
  /**
   * Moves the clock, and runs the timers that fall due in the order of their times, each at its own time and finished
   * before the next. Timers that a task sets run as well when they fall due on the way.
   *
   * @throws what a task throws; the clock then stands at the time of that task
   */
  advance(ms: number): Promise<void>;
  /** Timers that have neither run nor been cancelled. */
  readonly pending: number;
}

interface Timer {
  readonly atMs: number;
  readonly task: () => Awaitable<void>;
}

/** Makes a clock that stands still. @param startMs epoch milliseconds; the start of 2026 */
export function fixedClock(startMs: number = Date.UTC(2026, 0, 1)): FixedClock {
  let nowMs = startMs;
  const timers = new Set<Timer>();
  return {
    now: () => nowMs,
    after(ms, task) {
      const timer = { atMs: nowMs + Math.max(0, ms), task };
      timers.add(timer);
      return () => {
        timers.delete(timer);
      };
    },
    async advance(ms) {
      const untilMs = nowMs + ms;
      for (let timer = first(timers); timer && timer.atMs <= untilMs; timer = first(timers)) {
        timers.delete(timer);
        nowMs = timer.atMs;
        await timer.task();
      }
      nowMs = untilMs;
    },
    get pending() {
      return timers.size;
    },
  };
}

/** The timer that is due first; of several at one time the one that was set first. */
function first(timers: Iterable<Timer>): Timer | undefined {
  let earliest: Timer | undefined;
  for (const timer of timers) if (!earliest || timer.atMs < earliest.atMs) earliest = timer;
  return earliest;
}
