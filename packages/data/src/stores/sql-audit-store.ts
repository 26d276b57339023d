import type { AuditRecord, AuditStore } from '@waymark/contract/stores';
import { and, desc, eq, lt } from '../database/drizzle-orm.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { Statement } from '../database/sql-transaction.ts';
import { toDrizzle } from '../database/to-drizzle.ts';
import { auditTable } from './tables.ts';

/** Limits of a `sqlAuditStore`. */
export interface SqlAuditOptions {
  /** Newest records that are kept, 1 or more; default: 100,000. */
  readonly keep?: number;
}

/**
 * Keeps the newest audit records in the database; the first to come are the first to go.
 *
 * A record whose id is kept already is not taken again, so a batch can be appended twice.
 */
export function sqlAuditStore(database: SqlDatabase, { keep = 100_000 }: SqlAuditOptions = {}): AuditStore {
  const drizzle = toDrizzle(database);
  return {
    async append(records) {
      if (records.length === 0) return;
      await database.write([...records.map(insert), { sql: trim, args: [keep] }]);
    },
    async list({ kind, runId, before, limit }) {
      const [rows] = await drizzle.batch([
        drizzle
          .select({ record: auditTable.record })
          .from(auditTable)
          .where(
            and(
              kind === undefined ? undefined : eq(auditTable.kind, kind),
              runId === undefined ? undefined : eq(auditTable.runId, runId),
              before === undefined ? undefined : lt(auditTable.id, before),
            ),
          )
          .orderBy(desc(auditTable.id))
          .limit(limit),
      ]);
      return rows.map(({ record }) => record);
    },
  };
}

function insert(record: AuditRecord): Statement {
  const runId = record['run_id'];
  const args = [record.id, record.kind, typeof runId === 'string' ? runId : null, JSON.stringify(record)];
  return { sql: insertRecord, args };
}

/** Written out: the text is the same for every batch, so it is prepared once. */
const insertRecord = `insert into svc__audit (id, kind, run_id, record) values (?, ?, ?, ?)
  on conflict (id) do nothing`;

/** Numbers have no gaps: rows go at the low end only. */
const trim = 'delete from svc__audit where n <= (select max(n) from svc__audit) - ?';
