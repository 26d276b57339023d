import type { Call } from '@waymark/contract/engine';

/** Follows the calls of a dispatcher: which of them holds the event loop, and in whose context code fails. Must not throw. */
export interface CallTrace {
  /**
   * The synchronous work of a call begins: when it comes in, and again when its body is there.
   *
   * @param atMs by the clock of the dispatcher
   */
  began(call: Call, atMs: number): void;
  /** What began last has ended, or waits for something. */
  ended(atMs: number): void;
  /** Runs the engine of a call; what that begins, timers and promises too, belongs to the call. */
  within<T>(call: Call, work: () => T): T;
}
