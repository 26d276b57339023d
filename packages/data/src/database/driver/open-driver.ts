import { setTimeout as sleep } from 'node:timers/promises';
import type { Awaitable, Log } from '@waymark/contract/engine';
import { migrations } from '../../stores/migrations.ts';
import { checkFile } from '../check-file.ts';
import type { DatabaseAddress } from '../database-address.ts';
import type { DatabaseOptions } from '../database-options.ts';
import { isBehind, migrate } from '../migrate.ts';
import { keepPrivate, makePrivate } from '../private-files.ts';
import { SqlDatabase } from '../sql-database.ts';
import { toSqlFault } from '../sql-fault.ts';
import { toOpenProblem } from '../to-open-problem.ts';
import type { DatabaseTroubles } from '../watch/database-troubles.ts';
import { DatabaseWatch } from '../watch/database-watch.ts';
import { LookThrough } from '../watch/look-through.ts';
import { Connection } from './connection.ts';
import type { Driver } from './driver.ts';
import { LocalDriver, type LocalParts } from './local-driver.ts';
import { RemoteDriver } from './remote-driver.ts';
import { slowLog } from './slow-log.ts';
import { WriteQueue } from './write-queue.ts';

/** How long a large file is looked through in the background: some 10 GB from a disk that is quick. */
const lookThroughMs = 30_000;

/**
 * Opens what an address names, and makes or renews our own tables in it.
 *
 * @param troubles told what is wrong with it from then on
 * @throws {DeclarationError} whatever stood in the way, with what to do about it
 */
export async function openDriver(
  address: DatabaseAddress,
  options: DatabaseOptions,
  log: Log,
  troubles: DatabaseTroubles,
): Promise<Driver> {
  let opened: Opened | undefined;
  try {
    opened =
      address.kind === 'remote'
        ? await openRemote(address, options, log, troubles)
        : await openLocal(address, options, log, troubles);
    const { driver, watch } = opened;
    await bringUpToDate(driver, log, options.deadlineMs);
    watch.start(driver, address.kind === 'file' ? address.path : undefined);
    return driver;
  } catch (error) {
    await opened?.driver.close();
    throw toOpenProblem(error);
  }
}

/** A driver, and what watches it once its tables are there. */
interface Opened {
  readonly driver: Driver;
  readonly watch: DatabaseWatch;
}

async function bringUpToDate(driver: Driver, log: Log, deadlineMs?: number): Promise<void> {
  const { kind } = driver;
  const database = new SqlDatabase({ kind, log, connect: async () => driver });
  await database.open();
  if (await whenUnlocked(deadlineMs, () => isBehind(database, migrations.length)))
    await database.transaction((transaction) => migrate(transaction, migrations));
}

async function openLocal(
  address: Exclude<DatabaseAddress, { kind: 'remote' }>,
  options: DatabaseOptions,
  log: Log,
  troubles: DatabaseTroubles,
): Promise<Opened> {
  const { deadlineMs = 5_000, transactionMs = 5_000, maxWaiting = 10_000, synchronous = 'full' } = options;
  const setup = `PRAGMA synchronous = ${synchronous}; PRAGMA foreign_keys = ON`;
  const parts = (writer: Connection, watch: DatabaseWatch): LocalParts => ({
    writer,
    queue: new WriteQueue(writer, { maxWaiting, deadlineMs, place: watch }),
    ...{ transactionMs, synchronous },
    onStatement: slowLog(log, options.slowMs),
    onClose: () => watch.stop(),
  });
  const { probeMs: everyMs = 3_000 } = options;
  if (address.kind === 'memory') {
    const watch = new DatabaseWatch({ troubles, everyMs });
    return { driver: new LocalDriver(parts(new Connection(':memory:', setup), watch)), watch };
  }
  const { path } = address;
  const isLarge = await whenUnlocked(deadlineMs, () => checkFile(path, migrations.length));
  keepPrivate(path, log);
  makePrivate(path);
  const lookThrough = new LookThrough({ path, withinMs: lookThroughMs, troubles, log });
  const watch = new DatabaseWatch({ troubles, everyMs, lookThrough, unseen: isLarge });
  const writer = await whenUnlocked(deadlineMs, () => new Connection(path, setup));
  try {
    await whenUnlocked(deadlineMs, () => writer.exec('PRAGMA journal_mode = WAL'));
    const openReader = (): Connection => new Connection(path, `${setup}; PRAGMA query_only = ON`);
    const driver = await whenUnlocked(
      deadlineMs,
      () => new LocalDriver({ ...parts(writer, watch), openReader }),
    );
    return { driver, watch };
  } catch (error) {
    writer.close();
    throw error;
  }
}

/** While others make the file, change its mode or let go of it, it can be locked for a moment. */
async function whenUnlocked<T>(deadlineMs = 5_000, work: () => Awaitable<T>): Promise<T> {
  const untilMs = performance.now() + deadlineMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!toSqlFault(error)?.code.startsWith('SQLITE_BUSY') || performance.now() > untilMs) throw error;
    }
    await sleep(5 + Math.random() * 45);
  }
}

/** The client is large and only remote databases need it. */
async function openRemote(
  { url }: Extract<DatabaseAddress, { kind: 'remote' }>,
  { authToken, transactionMs = 5_000, maxWaiting = 10_000, slowMs, probeMs = 3_000 }: DatabaseOptions,
  log: Log,
  troubles: DatabaseTroubles,
): Promise<Opened> {
  const { createClient } = await import('@libsql/client');
  const client = createClient({ url, intMode: 'bigint', ...(authToken === undefined ? {} : { authToken }) });
  const watch = new DatabaseWatch({ troubles, everyMs: probeMs });
  const driver = new RemoteDriver(client, {
    maxWaiting,
    transactionMs,
    // A server lets a write wait 5 s for another's transaction before it answers.
    requestMs: 10_000,
    onStatement: slowLog(log, slowMs),
    onClose: () => watch.stop(),
  });
  return { driver, watch };
}
