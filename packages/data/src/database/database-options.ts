import type { Log } from '@waymark/contract/engine';
import type { Synchronous } from './driver/driver.ts';

/** How a database is opened and how long it may take. */
export interface DatabaseOptions {
  /** Token of a remote database: `DATABASE_AUTH_TOKEN`. */
  readonly authToken?: string;
  /**
   * Of files: `full` (the default) keeps what was acknowledged over a power cut. `normal` keeps it over a crash of the
   * process only, and spares each commit the wait for the disk.
   */
  readonly synchronous?: Synchronous;
  /** How long a write may wait for other processes and for writes before it, then it is 503; 5,000. */
  readonly deadlineMs?: number;
  /** How long a transaction may stay open, then it is undone; 5,000. */
  readonly transactionMs?: number;
  /** Writes that wait, or requests to a remote database under way; one more is 503; 10,000. */
  readonly maxWaiting?: number;
  /** Statements that take longer are logged, without their values; 100. */
  readonly slowMs?: number;
  /** Says nothing by default. */
  readonly log?: Log;
}
