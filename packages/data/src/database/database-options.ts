import type { Log } from '@waymark/contract/engine';
import type { Synchronous } from './driver/driver.ts';

/** How long a transaction may stay open, milliseconds, unless told. */
export const defaultTransactionMs = 5_000;

/** Options of a database: its durability, deadlines and log. Times are in milliseconds. */
export interface DatabaseOptions {
  /** Token of a remote database; applications give the variable `DATABASE_AUTH_TOKEN`. Default: none. */
  readonly authToken?: string;
  /**
   * Durability of a file. `full`, the default: acknowledged writes survive a power cut. `normal`: they survive a crash of
   * the process only, and no commit waits for the disk.
   */
  readonly synchronous?: Synchronous;
  /**
   * Milliseconds that a write may wait for a lock of another process, and on a server for earlier writes, before it is 503;
   * default: 5,000, on a server 10,000: it keeps what a client left open for 5 seconds.
   */
  readonly deadlineMs?: number;
  /** Milliseconds that a transaction may stay open before it is undone with a 503; default: 5,000. */
  readonly transactionMs?: number;
  /** Writes that may wait for a file, or requests to a remote database under way; one more is 503. Default: 10,000. */
  readonly maxWaiting?: number;
  /** Milliseconds after which a statement is logged as slow, without its values; default: 100. */
  readonly slowMs?: number;
  /**
   * Milliseconds for which nothing may be heard of a file or a server until it is asked, with a small write or a read,
   * whether it can be used; default: 3,000, of a server 2,000. A server is to answer within half of it.
   */
  readonly probeMs?: number;
  /**
   * Tells whose the work is in which a write or a transaction is asked for: those that wait take turns by caller. Default:
   * all are of one.
   */
  readonly callerOf?: () => unknown;
  /** Log of slow statements and of failures; default: none. */
  readonly log?: Log;
}
