import { DeclarationError } from '@waymark/contract';
import { memoryStores } from '@waymark/contract/memory';
import type { Stores } from '@waymark/contract/stores';
import type { SqlDatabase } from '@waymark/data';
import type { SqlStoresOptions } from '@waymark/data/stores';
import { type ApplicationDatabase, placeDatabase } from '../compose/application-database.ts';
import type { Settings } from '../options/settings.ts';
import { migrateAtStart } from '../upkeep/migrate-at-start.ts';
import { placeError } from '../upkeep/place-problems.ts';

/** Where the service keeps its own state, ready to be used. */
export interface OpenState {
  readonly stores: Stores;
  /** Lets writes under way finish, then lets go. */
  close(): Promise<void>;
}

/**
 * Opens the database of an application, applies its migrations, and gives the stores of its own state: in the database, or in memory without.
 * Runs write into the ledger and the outbox of theirs, in memory too, and so do insights.
 *
 * @throws {DeclarationError} a database that cannot be opened, at the place where it is named; a migration that cannot be
 * applied
 */
export async function openState(declared: ApplicationDatabase, settings: Settings): Promise<OpenState> {
  const { database, state } = declared;
  try {
    await state.open();
  } catch (error) {
    throw error instanceof DeclarationError ? placeDatabase(error, settings) : error;
  }
  try {
    await migrateAtStart(declared, settings);
  } catch (error) {
    await state.close();
    throw placeError(error, settings);
  }
  const { usage, insights, outbox, ...rest } = laterStores(state, {
    endedSessions: { keep: settings.limits.endedSignIns },
  });
  return {
    // Deliveries are stored with the insights that they tell of: both are of one database.
    stores: { ...(database ? rest : memoryStores()), usage, insights, outbox },
    close: () => state.close(),
  };
}

/**
 * The stores of a database, loaded when the first of them is used: what they are built with takes longer to load than
 * the rest of a start.
 */
function laterStores(database: SqlDatabase, options: SqlStoresOptions): Stores {
  let loading: Promise<Stores> | undefined;
  const load = (): Promise<Stores> => {
    loading ??= import('@waymark/data/stores').then(({ sqlStores }) => sqlStores(database, options));
    return loading;
  };
  return {
    usage: {
      append: async (...args) => (await load()).usage.append(...args),
      totals: async (...args) => (await load()).usage.totals(...args),
      cells: async (...args) => (await load()).usage.cells(...args),
    },
    audit: {
      append: async (...args) => (await load()).audit.append(...args),
      list: async (...args) => (await load()).audit.list(...args),
      following: async (...args) => (await load()).audit.following(...args),
      countKinds: async (...args) => (await load()).audit.countKinds(...args),
    },
    insights: {
      publish: async (...args) => (await load()).insights.publish(...args),
      recent: async (...args) => (await load()).insights.recent(...args),
      evidence: async (...args) => (await load()).insights.evidence(...args),
      withEvidence: async (...args) => (await load()).insights.withEvidence(...args),
    },
    outbox: {
      add: async (...args) => (await load()).outbox.add(...args),
      lines: async () => (await load()).outbox.lines(),
      soonest: async () => (await load()).outbox.soonest(),
      next: async (...args) => (await load()).outbox.next(...args),
      settle: async (...args) => (await load()).outbox.settle(...args),
      release: async (...args) => (await load()).outbox.release(...args),
      giveUp: async (...args) => (await load()).outbox.giveUp(...args),
      redeliver: async (...args) => (await load()).outbox.redeliver(...args),
      kept: async (...args) => (await load()).outbox.kept(...args),
      prune: async (...args) => (await load()).outbox.prune(...args),
    },
    leases: {
      acquire: async (...args) => (await load()).leases.acquire(...args),
      release: async (...args) => (await load()).leases.release(...args),
      take: async (...args) => (await load()).leases.take(...args),
      used: async (...args) => (await load()).leases.used(...args),
    },
    endedSessions: {
      add: async (...args) => (await load()).endedSessions.add(...args),
      following: async (...args) => (await load()).endedSessions.following(...args),
    },
  };
}
