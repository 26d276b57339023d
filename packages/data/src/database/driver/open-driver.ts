import type { Log } from '@waymark/contract/engine';
import { migrations } from '../../stores/migrations.ts';
import { checkFile } from '../check-file.ts';
import type { DatabaseAddress } from '../database-address.ts';
import { type DatabaseOptions, defaultTransactionMs } from '../database-options.ts';
import { isBehind, migrate } from '../migrate.ts';
import { keepPrivate, makePrivate } from '../private-files.ts';
import { SqlDatabase } from '../sql-database.ts';
import { toOpenProblem } from '../to-open-problem.ts';
import type { DatabaseTroubles } from '../watch/database-troubles.ts';
import { DatabaseWatch } from '../watch/database-watch.ts';
import { LookThrough } from '../watch/look-through.ts';
import { Connection } from './connection.ts';
import type { Driver, Synchronous } from './driver.ts';
import { LocalDriver, type LocalParts } from './local-driver.ts';
import { RemoteDriver } from './remote-driver.ts';
import { slowLog } from './slow-log.ts';
import { ThreadWriter } from './thread-writer.ts';
import { whenUnlocked } from './when-unlocked.ts';
import { WriteQueue } from './write-queue.ts';
import { DirectWriter } from './writer.ts';

/** How long a large file is looked through in the background: some 10 GB from a disk that is quick. */
const lookThroughMs = 30_000;

/** How long our own tables may take to be renewed: a server has large ones, too, and is slow where others have much to do. */
const renewMs = 600_000;

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
    // Whatever is acknowledged later takes this to the disk before it; what the end of the power undoes is made again.
    await database.transaction((transaction) => migrate(transaction, migrations), undefined, {
      synchronous: 'normal',
      openMs: renewMs,
    });
}

async function openLocal(
  address: Exclude<DatabaseAddress, { kind: 'remote' }>,
  options: DatabaseOptions,
  log: Log,
  troubles: DatabaseTroubles,
): Promise<Opened> {
  const {
    deadlineMs = 5_000,
    transactionMs = defaultTransactionMs,
    maxWaiting = 10_000,
    synchronous = 'full',
  } = options;
  const { probeMs: everyMs = 3_000, slowMs = 100, callerOf } = options;
  const onStatement = slowLog(log, slowMs);
  const parts = (connection: Connection, watch: DatabaseWatch, aside?: ThreadWriter): LocalParts => {
    const writer = new DirectWriter(connection, onStatement);
    const queue = new WriteQueue(writer, { maxWaiting, deadlineMs, place: watch, aside });
    const onClose = () => watch.stop();
    const limits = { transactionMs, synchronous, callerOf };
    return { connection, writer, aside, queue, ...limits, onStatement, onClose };
  };
  if (address.kind === 'memory') {
    const watch = new DatabaseWatch({ troubles, everyMs });
    return { driver: new LocalDriver(parts(new Connection(':memory:', setupOf('normal')), watch)), watch };
  }
  const { path } = address;
  const isLarge = await whenUnlocked(deadlineMs, () => checkFile(path, migrations.length));
  keepPrivate(path, log);
  makePrivate(path);
  const lookThrough = new LookThrough({ path, withinMs: lookThroughMs, troubles, log });
  const watch = new DatabaseWatch({ troubles, everyMs, lookThrough, unseen: isLarge });
  const connection = await whenUnlocked(deadlineMs, () => new Connection(path, setupOf('normal')));
  let aside: ThreadWriter | undefined;
  try {
    await whenUnlocked(deadlineMs, () => connection.exec('PRAGMA journal_mode = WAL'));
    const openReader = (): Connection =>
      new Connection(path, `${setupOf(synchronous)}; PRAGMA query_only = ON`);
    const openWriter = (): Connection => new Connection(path, setupOf('full'));
    const setup = { path, setup: setupOf(synchronous), mode: 'rwc', slowMs } as const;
    if (synchronous === 'full')
      aside = await whenUnlocked(deadlineMs, () => ThreadWriter.open(setup, onStatement));
    const driver = await whenUnlocked(
      deadlineMs,
      () => new LocalDriver({ ...parts(connection, watch, aside), openReader, openWriter }),
    );
    return { driver, watch };
  } catch (error) {
    await aside?.close();
    connection.close();
    throw error;
  }
}

/** What is sorted is sorted in memory: a disk that is full still answers whoever reads. */
function setupOf(synchronous: Synchronous): string {
  return `PRAGMA synchronous = ${synchronous}; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY`;
}

/** The client is large and only remote databases need it. */
async function openRemote(
  { url }: Extract<DatabaseAddress, { kind: 'remote' }>,
  {
    authToken,
    deadlineMs = 10_000,
    transactionMs = defaultTransactionMs,
    maxWaiting = 10_000,
    slowMs,
    probeMs = 2_000,
    callerOf,
  }: DatabaseOptions,
  log: Log,
  troubles: DatabaseTroubles,
): Promise<Opened> {
  // The form without a SQLite of its own: a process has one, which is node's.
  const { createClient } = await import('@libsql/client/web');
  const client = createClient({ url, intMode: 'bigint', ...(authToken === undefined ? {} : { authToken }) });
  const watch = new DatabaseWatch({ troubles, everyMs: probeMs });
  const driver = new RemoteDriver(client, {
    maxWaiting,
    transactionMs,
    deadlineMs,
    callerOf,
    // A server lets a write wait 5 s for another's transaction before it answers.
    requestMs: 10_000,
    onStatement: slowLog(log, slowMs),
    onWrite: (stored) => troubles.wrote(stored),
    onClose: () => watch.stop(),
  });
  return { driver, watch };
}
