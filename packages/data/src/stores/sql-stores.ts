import type { Stores } from '@waymark/contract/stores';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { SqlOutboxOptions } from './outbox-limits.ts';
import { type SqlAuditOptions, sqlAuditStore } from './sql-audit-store.ts';
import { type SqlEndedSessionsOptions, sqlEndedSessions } from './sql-ended-sessions.ts';
import { type SqlInsightOptions, sqlInsightStore } from './sql-insight-store.ts';
import { type SqlLeasesOptions, sqlLeases } from './sql-leases.ts';
import { sqlOutbox } from './sql-outbox.ts';
import { type SqlUsageOptions, sqlUsageStore } from './sql-usage-store.ts';

/** Options of the stores that `sqlStores` makes, by their names. */
export interface SqlStoresOptions {
  readonly usage?: SqlUsageOptions;
  readonly audit?: SqlAuditOptions;
  readonly insights?: Omit<SqlInsightOptions, 'outbox'>;
  readonly outbox?: SqlOutboxOptions;
  readonly leases?: SqlLeasesOptions;
  readonly endedSessions?: SqlEndedSessionsOptions;
}

/** Makes all stores of an application over a database that `openDatabase` opened. */
export function sqlStores(database: SqlDatabase, options: SqlStoresOptions = {}): Stores {
  const { usage, audit, insights, outbox, leases, endedSessions } = options;
  return {
    usage: sqlUsageStore(database, usage),
    audit: sqlAuditStore(database, audit),
    insights: sqlInsightStore(database, { ...insights, ...(outbox ? { outbox } : {}) }),
    outbox: sqlOutbox(database, outbox),
    leases: sqlLeases(database, leases),
    endedSessions: sqlEndedSessions(database, endedSessions),
  };
}
