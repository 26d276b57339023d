import type { Awaitable, Cancel } from '../engine/json.ts';

/** Two clocks that stand still until a test moves them: the one on the wall, and the one that nobody sets. */
export interface FixedClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds since the clock was made, whatever the one on the wall was set to. */
  monotonic(): number;
  /** Runs a task once, `ms` from now: when the clock is moved there, never by itself. */
  after(ms: number, task: () => Awaitable<void>): Cancel;
  /**
   * Lets time pass on both clocks, and runs the timers that fall due in the order of their times, each at its own time
   * and finished before the next. Timers that a task sets run as well when they fall due on the way.
   *
   * @throws what a task throws; the clock then stands at the time of that task
   */
  advance(ms: number): Promise<void>;
  /** Sets the clock on the wall, as people and NTP do: forward, or back by a negative step. No time passes. */
  step(ms: number): void;
  /** Timers that have neither run nor been cancelled. */
  readonly pending: number;
}

interface Timer {
  readonly atMs: number;
  readonly task: () => Awaitable<void>;
}

/** Makes clocks that stand still. @param startMs epoch milliseconds; the start of 2026 */
export function fixedClock(startMs: number = Date.UTC(2026, 0, 1)): FixedClock {
  let elapsedMs = 0;
  let wallMs = startMs;
  const timers = new Set<Timer>();
  return {
    now: () => wallMs + elapsedMs,
    monotonic: () => elapsedMs,
    after(ms, task) {
      const timer = { atMs: elapsedMs + Math.max(0, ms), task };
      timers.add(timer);
      return () => {
        timers.delete(timer);
      };
    },
    async advance(ms) {
      const untilMs = elapsedMs + ms;
      for (let timer = first(timers); timer && timer.atMs <= untilMs; timer = first(timers)) {
        timers.delete(timer);
        elapsedMs = timer.atMs;
        await timer.task();
      }
      elapsedMs = untilMs;
    },
    step(ms) {
      wallMs += ms;
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
