import type { Client, InStatement, ResultSet, Transaction } from '@libsql/client';
import type { BoundValue } from '../bind.ts';
import { toSqlFault } from '../sql-fault.ts';
import { narrowNumbers, type SqlResult, toNumber } from '../sql-result.ts';
import type { SqlText } from '../sql-text.ts';
import { unavailable } from '../to-db-error.ts';
import { isLate, withDeadline } from './deadline.ts';
import type { BoundStatement, Driver, OnStatement, OpenTransaction, TransactionKept } from './driver.ts';
import { isTooMuch, readInPieces } from './read-in-pieces.ts';
import { brokenKeys, refuseBrokenKeys, type Script, ScriptFault } from './script.ts';
import type { SignalGiver } from './signal-giver.ts';
import { Turns } from './turns.ts';
import { whenUnlocked } from './when-unlocked.ts';

/** The limits of a `RemoteDriver`. */
export interface RemoteLimits {
  /** Requests under way, 1 or more; one more is refused (503). */
  readonly maxWaiting: number;
  readonly transactionMs: number;
  /** How long a write may wait for those of this process before it, and for those of others; then it is 503. */
  readonly deadlineMs: number;
  /** How long the server may take for one request. */
  readonly requestMs: number;
  readonly onStatement: OnStatement;
  /** Whose the transaction is that is asked for now. */
  readonly callerOf?: (() => unknown) | undefined;
  /** Told of each write that is stored, and of each that had no answer in time. */
  readonly onWrite?: (stored: boolean) => void;
  /** Called when it is closed. */
  readonly onClose?: () => Promise<void>;
}

/**
 * A database behind a libsql server. The server orders the writes of all its clients.
 *
 * It does so badly: while it moves its log into its file, it tells a writer after 100 ms that it is busy, and with twenty that
 * wait it has been seen to stand still for ever (0.24.32). So one write of a process is under way, and one that found
 * the server busy is made again, as on a file.
 */
export class RemoteDriver implements Driver {
  readonly kind = 'remote';
  readonly #client: Client;
  readonly #limits: RemoteLimits;
  readonly #turns: Turns;
  #underWay = 0;
  #closing = false;
  #whenIdle: () => void = () => undefined;

  /** @param client made with `intMode: 'bigint'` */
  constructor(client: Client, limits: RemoteLimits) {
    this.#client = client;
    this.#limits = limits;
    this.#turns = new Turns(limits.deadlineMs);
  }

  /**
   * The server would let a statement write in this mode, too: the database has looked at it before. What is too much for one
   * answer is asked for again in pieces: a run is to be taken up however much it has recorded.
   */
  async read(statements: readonly BoundStatement[], signal?: AbortSignal): Promise<readonly SqlResult[]> {
    try {
      return await this.#count(() => this.#batch(statements, 'read', signal));
    } catch (error) {
      if (!isTooMuch(error)) throw error;
    }
    const asked = statements.map(toClient);
    return this.#count(async () =>
      (await readInPieces(this.#client, asked, this.#limits.requestMs, signal)).map(toResult),
    );
  }

  /** Once sent, its outcome is awaited: a write that was given up might be stored. */
  async write(
    statements: readonly BoundStatement[],
    signal?: AbortSignal | SignalGiver,
  ): Promise<readonly SqlResult[]> {
    const given = signal instanceof AbortSignal ? signal : undefined;
    if (statements.length === 0) return [];
    // Whoever waits for their turn is counted, too.
    return this.#count(() => this.#inTurn(() => this.#told(this.#batch(statements, 'write')), given));
  }

  async transaction<T>(
    body: (open: OpenTransaction) => Promise<T>,
    signal?: AbortSignal,
    { openMs = this.#limits.transactionMs }: TransactionKept = {},
  ): Promise<T> {
    const { requestMs } = this.#limits;
    return this.#count(() =>
      this.#turns.transaction(
        async () => {
          const transaction = await whenUnlocked(this.#limits.deadlineMs, () =>
            this.#told(this.#begin(signal)),
          );
          try {
            const open: OpenTransaction = {
              run: (statement) =>
                this.#observe(statement.text, async () =>
                  toResult(await transaction.execute(toClient(statement))),
                ),
              runAll: async (statements) => {
                const [first] = statements;
                if (first)
                  await this.#observe(first, () => transaction.batch(statements.map(({ sql }) => sql)));
              },
            };
            const result = await withDeadline(body(open), openMs, signal);
            await withDeadline(transaction.commit(), requestMs);
            return result;
          } finally {
            transaction.close();
          }
        },
        signal,
        this.#limits.callerOf?.(),
      ),
    );
  }

  async #begin(signal?: AbortSignal): Promise<Transaction> {
    const { requestMs } = this.#limits;
    const opening = (async () => {
      const transaction = await this.#client.transaction('write');
      try {
        // It begins with its first statement, and is busy then, if at all.
        await transaction.execute('select 1');
      } catch (error) {
        transaction.close();
        throw error;
      }
      return transaction;
    })();
    return withDeadline(opening, requestMs, signal).catch((error: unknown) => {
      // It may still open, and would keep other writers out.
      opening.then(
        (late) => late.close(),
        () => undefined,
      );
      throw error;
    });
  }

  /** Tells of a write how it went. */
  async #told<T>(writing: Promise<T>): Promise<T> {
    try {
      const written = await writing;
      this.#limits.onWrite?.(true);
      return written;
    } catch (error) {
      if (isLate(error)) this.#limits.onWrite?.(false);
      throw error;
    }
  }

  /** What is refused as busy has changed nothing, and is tried again. */
  #inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { deadlineMs, callerOf } = this.#limits;
    return this.#turns.write(() => whenUnlocked(deadlineMs, work), signal, callerOf?.());
  }

  /** One request, so that no transaction is left open; the server begins, undoes and stores by itself. */
  async script({ statements, enforcesKeys, waitMs }: Script): Promise<void> {
    const run = async (): Promise<void> => {
      const all = enforcesKeys ? statements : [...statements, refuseBrokenKeys];
      const sent = enforcesKeys ? this.#client.batch([...all], 'write') : this.#client.migrate([...all]);
      try {
        await withDeadline(sent, scriptMs);
      } catch (error) {
        throw toScriptFault(error, enforcesKeys ? undefined : statements.length);
      }
    };
    await this.#count(() => whenUnlocked(waitMs, run));
  }

  async columns(text: SqlText): Promise<readonly string[]> {
    const nothing = text.parameters.map(() => null);
    await this.#count(() =>
      withDeadline(
        this.#client.execute({ sql: `EXPLAIN ${text.sql}`, args: nothing }),
        this.#limits.requestMs,
      ),
    );
    return [];
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#limits.onClose?.();
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
      if (this.#underWay === 0) resolve();
    });
    this.#client.close();
  }

  async #batch(
    statements: readonly BoundStatement[],
    mode: 'read' | 'write',
    signal?: AbortSignal,
  ): Promise<readonly SqlResult[]> {
    const [first] = statements;
    if (!first) return [];
    return this.#observe(first.text, async () => {
      const sets = this.#client.batch(statements.map(toClient), mode);
      return (await withDeadline(sets, this.#limits.requestMs, signal)).map(toResult);
    });
  }

  async #observe<T>(text: SqlText, work: () => Promise<T>): Promise<T> {
    const startMs = performance.now();
    const result = await work();
    this.#limits.onStatement(text, performance.now() - startMs);
    return result;
  }

  async #count<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing) throw unavailable('is being closed');
    if (this.#underWay >= this.#limits.maxWaiting) throw unavailable('has too much to do');
    this.#underWay++;
    try {
      return await work();
    } finally {
      if (--this.#underWay === 0) this.#whenIdle();
    }
  }
}

/** How long a server may take for a script: tables can be large. */
const scriptMs = 600_000;

/** Which statement it was, where the client says so; what is about no statement stays as it is. */
function toScriptFault(error: unknown, ofKeys: number | undefined): unknown {
  const { statementIndex } = error as { readonly statementIndex?: unknown };
  if (typeof statementIndex !== 'number' || toSqlFault(error)?.code.startsWith('SQLITE_BUSY')) return error;
  return new ScriptFault(
    statementIndex,
    statementIndex === ofKeys ? brokenKeys('rows refer to rows') : error,
  );
}

/** A server wants names where the statement has names. */
function toClient({ text, values }: BoundStatement): Exclude<InStatement, string> {
  const names = text.parameters.filter((name) => name !== undefined);
  if (names.length === 0) return { sql: text.sql, args: values };
  return { sql: text.sql, args: Object.fromEntries(names.map((name, i) => [name, values[i] ?? null])) };
}

function toResult({ columns, rows, rowsAffected, lastInsertRowid }: ResultSet): SqlResult {
  const values = rows.map((row) => columns.map((_, i): BoundValue => fromClient(row[i])));
  return {
    columns,
    rows: narrowNumbers(columns, values),
    affected: columns.length > 0 ? rows.length : rowsAffected,
    lastInsertId: columns.length > 0 || lastInsertRowid === undefined ? null : toNumber(lastInsertRowid),
  };
}

function fromClient(value: ResultSet['rows'][number][number] | undefined): BoundValue {
  return value instanceof ArrayBuffer ? new Uint8Array(value) : (value ?? null);
}
