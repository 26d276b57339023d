import type { AuditRecord, AuditStore } from '@waymark/contract';
import { and, desc, eq, lt, sql } from 'drizzle-orm';
import type { SqlDatabase } from '../database/sql-database.ts';
import { toDrizzle } from '../database/to-drizzle.ts';
import { auditTable } from './tables.ts';

/** How much a `sqlAuditStore` holds. */
export interface SqlAuditOptions {
  /** Records held, 1 or more; 100,000. */
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
      await drizzle.batch([
        drizzle.insert(auditTable).values(records.map(toRow)).onConflictDoNothing({ target: auditTable.id }),
        // Numbers have no gaps: rows go at the low end only.
        drizzle.delete(auditTable).where(sql`n <= (select max(n) from ${auditTable}) - ${keep}`),
      ]);
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

function toRow(record: AuditRecord): typeof auditTable.$inferInsert {
  const runId = record['run_id'];
  return { id: record.id, kind: record.kind, runId: typeof runId === 'string' ? runId : null, record };
}
