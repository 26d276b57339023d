import { setTimeout as sleep } from 'node:timers/promises';
import type { Awaitable, Log } from '@waymark/contract/engine';
import { migrations } from '../../stores/migrations.ts';
import { checkFile } from '../check-file.ts';
import type { DatabaseAddress } from '../database-address.ts';
import type { DatabaseOptions } from '../database-options.ts';
import { isBehind, migrate } from '../migrate.ts';
import { SqlDatabase } from '../sql-database.ts';
import { toSqlFault } from '../sql-fault.ts';
import { toOpenProblem } from '../to-open-problem.ts';
import { Connection } from './connection.ts';
import type { Driver } from './driver.ts';
import { LocalDriver, type LocalParts } from './local-driver.ts';
import { RemoteDriver } from './remote-driver.ts';
import { slowLog } from './slow-log.ts';
import { WriteQueue } from './write-queue.ts';

/**
 * Opens what an address names, and makes or renews our own tables in it.
 *
 * @throws {DeclarationError} whatever stood in the way, with what to do about it
 */
export async function openDriver(
  address: DatabaseAddress,
  options: DatabaseOptions,
  log: Log,
): Promise<Driver> {
  let driver: Driver | undefined;
  try {
    driver =
      address.kind === 'remote'
        ? await openRemote(address, options, log)
        : await openLocal(address, options, log);
    await bringUpToDate(driver, log, options.deadlineMs);
    return driver;
  } catch (error) {
    await driver?.close();
    throw toOpenProblem(error);
  }
}

async function bringUpToDate(driver: Driver, log: Log, deadlineMs?: number): Promise<void> {
  const database = new SqlDatabase(driver.kind, log, async () => driver);
  await database.open();
  if (await whenUnlocked(deadlineMs, () => isBehind(database, migrations.length)))
    await database.transaction((transaction) => migrate(transaction, migrations));
}

async function openLocal(
  address: Exclude<DatabaseAddress, { kind: 'remote' }>,
  options: DatabaseOptions,
  log: Log,
): Promise<Driver> {
  const { deadlineMs = 5_000, transactionMs = 5_000, maxWaiting = 10_000, synchronous = 'full' } = options;
  const setup = `PRAGMA synchronous = ${synchronous}; PRAGMA foreign_keys = ON`;
  const parts = (writer: Connection): LocalParts => ({
    writer,
    queue: new WriteQueue(writer, { maxWaiting, deadlineMs }),
    ...{ transactionMs, synchronous },
    onStatement: slowLog(log, options.slowMs),
  });
  if (address.kind === 'memory') return new LocalDriver(parts(new Connection(':memory:', setup)));
  const { path } = address;
  await whenUnlocked(deadlineMs, () => checkFile(path, migrations.length));
  const writer = await whenUnlocked(deadlineMs, () => new Connection(path, setup));
  try {
    await whenUnlocked(deadlineMs, () => writer.exec('PRAGMA journal_mode = WAL'));
    const openReader = (): Connection => new Connection(path, `${setup}; PRAGMA query_only = ON`);
    return await whenUnlocked(deadlineMs, () => new LocalDriver({ ...parts(writer), openReader }));
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
