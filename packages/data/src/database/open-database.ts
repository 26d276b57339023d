import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@waymark/contract';
import { migrations } from '../stores/tables.ts';
import { checkFile } from './check-file.ts';
import { Connection } from './connection.ts';
import { type DatabaseAddress, parseDatabaseUrl } from './database-address.ts';
import { databaseProblem } from './database-problem.ts';
import type { Driver } from './driver.ts';
import { LocalDriver, type LocalParts } from './local-driver.ts';
import { isBehind, migrate } from './migrate.ts';
import { RemoteDriver } from './remote-driver.ts';
import { slowLog } from './slow-log.ts';
import { SqlDatabase } from './sql-database.ts';
import { toSqlFault } from './sql-fault.ts';
import { toDbError } from './to-db-error.ts';
import { WriteQueue } from './write-queue.ts';

/** How a database is opened and how long it may take. */
export interface DatabaseOptions {
  /** Token of a remote database: `DATABASE_AUTH_TOKEN`. */
  readonly authToken?: string;
  /**
   * Of files: `full` (the default) keeps what was acknowledged over a power cut. `normal` keeps it over a crash of the
   * process only, and spares each commit the wait for the disk.
   */
  readonly synchronous?: 'full' | 'normal';
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

/**
 * Opens `sqlite://<path>`, `file:<path>`, `:memory:`, `libsql://<host>` or `https://<host>`, and makes or renews our own
 * tables in it. A file is made when there is none; its folder is not. A file that is refused stays as it was.
 *
 * @throws {DeclarationError} an unknown form of URL, a missing folder, no permission, no database, damaged, newer than
 * this release, locked for too long, out of reach, a wrong token
 */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<SqlDatabase> {
  const { log = () => undefined } = options;
  const address = parseDatabaseUrl(url);
  let driver: Driver | undefined;
  try {
    driver =
      address.kind === 'remote'
        ? await openRemote(address, options, log)
        : await openLocal(address, options, log);
    const database = new SqlDatabase(driver, log);
    if (await isBehind(database, migrations.length))
      await database.transaction((transaction) => migrate(transaction, migrations));
    return database;
  } catch (error) {
    await driver?.close();
    throw toOpenProblem(error);
  }
}

async function openLocal(
  address: Exclude<DatabaseAddress, { kind: 'remote' }>,
  options: DatabaseOptions,
  log: Log,
): Promise<Driver> {
  const { deadlineMs = 5_000, transactionMs = 5_000, maxWaiting = 10_000 } = options;
  const setup = `PRAGMA synchronous = ${options.synchronous === 'normal' ? 'NORMAL' : 'FULL'}; PRAGMA foreign_keys = ON`;
  const parts = (writer: Connection): LocalParts => ({
    writer,
    queue: new WriteQueue(writer, { maxWaiting, deadlineMs }),
    transactionMs,
    onStatement: slowLog(log, options.slowMs),
  });
  if (address.kind === 'memory') return new LocalDriver(parts(new Connection(':memory:', setup)));
  const { path } = address;
  await whenUnlocked(deadlineMs, () => checkFile(path, migrations.length));
  const writer = new Connection(path, setup);
  try {
    await whenUnlocked(deadlineMs, () => writer.exec('PRAGMA journal_mode = WAL'));
    const openReader = (): Connection => new Connection(path, `${setup}; PRAGMA query_only = ON`);
    return new LocalDriver({ ...parts(writer), openReader });
  } catch (error) {
    writer.close();
    throw error;
  }
}

/** While others make the file, or change its mode, it can be locked for a moment. */
async function whenUnlocked(deadlineMs: number, work: () => void): Promise<void> {
  const untilMs = performance.now() + deadlineMs;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (!toSqlFault(error)?.code.startsWith('SQLITE_BUSY') || performance.now() > untilMs) throw error;
    }
    await sleep(5 + Math.random() * 45);
  }
}

/** The client is large and only remote databases need it. */
async function openRemote(
  { url }: Extract<DatabaseAddress, { kind: 'remote' }>,
  { authToken, transactionMs = 5_000, maxWaiting = 10_000, slowMs }: DatabaseOptions,
  log: Log,
): Promise<Driver> {
  const { createClient } = await import('@libsql/client');
  const client = createClient({ url, intMode: 'bigint', ...(authToken === undefined ? {} : { authToken }) });
  // A server lets a write wait 5 s for another's transaction before it answers.
  return new RemoteDriver(client, {
    maxWaiting,
    transactionMs,
    requestMs: 10_000,
    onStatement: slowLog(log, slowMs),
  });
}

/** What stopped us, with what to do about it. */
function toOpenProblem(error: unknown): unknown {
  const code = toSqlFault(error)?.code ?? '';
  if (code.startsWith('SQLITE_BUSY'))
    return databaseProblem('database-busy', 'another process keeps it locked', 'find and stop that process');
  if (code.startsWith('SQLITE_NOTADB'))
    return databaseProblem('database-not-a-database', 'the file holds something else', 'name another file');
  if (code.startsWith('SQLITE_CORRUPT'))
    return databaseProblem('database-damaged', 'the file is damaged', 'restore it from a backup');
  if (code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_CANTOPEN'))
    return databaseProblem(
      'database-permission',
      'it cannot be written',
      'let this user write the file and its folder',
    );
  if (code === 'UNREACHABLE')
    return databaseProblem(
      'database-unreachable',
      'its server cannot be reached',
      'check the URL and the server',
    );
  if (code === 'UNAUTHORIZED')
    return databaseProblem(
      'database-unauthorized',
      'its server refuses the token',
      'set DATABASE_AUTH_TOKEN',
    );
  return toDbError(error);
}
