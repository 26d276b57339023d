import type { BoundValue } from '../bind.ts';
import type { SqlResult } from '../sql-result.ts';
import type { SqlText } from '../sql-text.ts';
import type { Script } from './script.ts';
import type { SignalGiver } from './signal-giver.ts';

/**
 * What a write to a file outlasts: `full` the end of the power, `normal` the end of the process. Of two writes the later one
 * never outlasts what the earlier one does not: a `full` one takes all before it to the disk.
 */
export type Synchronous = 'full' | 'normal';

/** A statement whose values were counted and bound. */
export interface BoundStatement {
  readonly text: SqlText;
  readonly values: BoundValue[];
  /** All, where it says nothing. */
  readonly rows?: 'first';
}

/** A transaction that is open. */
export interface OpenTransaction {
  run(statement: BoundStatement): Promise<SqlResult>;
  /** Runs statements without values one after another, for what they change; a server is asked once for all of them. */
  runAll(statements: readonly SqlText[]): Promise<void>;
}

/** How one transaction is kept, where not as the database says for all. */
export interface TransactionKept {
  /** Of files. */
  readonly synchronous?: Synchronous;
  /** How long it may stay open. */
  readonly openMs?: number;
}

/** What a database must be able to do, in a file, in memory or behind a server. What it throws is not mapped yet. */
export interface Driver {
  readonly kind: 'file' | 'memory' | 'remote';
  /** Reads one state of the database; writing is refused. Waits for no writer. */
  read(statements: readonly BoundStatement[], signal?: AbortSignal): Promise<readonly SqlResult[]>;
  /** The same at once; undefined where something has to be waited for, as always with a server. */
  readNow?(statements: readonly BoundStatement[]): readonly SqlResult[] | undefined;
  /** All of it or nothing. Settles after it is stored. `signal` counts until it begins. @param synchronous of files; `full` */
  write(
    statements: readonly BoundStatement[],
    signal?: AbortSignal | SignalGiver,
    synchronous?: Synchronous,
  ): Promise<readonly SqlResult[]>;
  /** `body` runs while nothing else writes; it commits when `body` resolves. */
  transaction<T>(
    body: (open: OpenTransaction) => Promise<T>,
    signal?: AbortSignal,
    kept?: TransactionKept,
  ): Promise<T>;
  /**
   * Runs a script in a transaction of its own, or nothing of it; others wait meanwhile. In a file or in memory the event loop
   * waits, too. @throws {ScriptFault} it was undone
   */
  script(script: Script): Promise<void>;
  /** The columns of the rows of a statement that is not run. @throws what is wrong with it */
  columns(text: SqlText): Promise<readonly string[]>;
  /** Lets writes that wait finish, then lets go. */
  close(): Promise<void>;
}

/** Told how long each statement took. */
export type OnStatement = (text: SqlText, ms: number) => void;
