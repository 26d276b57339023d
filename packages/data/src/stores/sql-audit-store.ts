import type { AuditRecord, AuditStore } from '@waymark/contract/stores';
import { and, desc, eq, lt, sql } from '../database/drizzle-orm.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import { toRecords } from '../database/sql-result.ts';
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
    async following(n, limit, kind) {
      const [ends, rows] = await database.read([
        { sql: selectEnds, args: { n } },
        kind === undefined
          ? { sql: selectFollowing, args: { n, limit } }
          : { sql: selectOfKind, args: { n, limit, kind } },
      ]);
      const [at, oldest, newest, newestId] = ends?.rows[0] ?? [];
      return {
        records: (rows?.rows ?? []).map(([place, record]) => ({
          n: Number(place),
          // As `insert` wrote it.
          record: JSON.parse(String(record)) as AuditRecord,
        })),
        at: typeof at === 'string' ? at : undefined,
        oldest: Number(oldest ?? 0),
        newest: { n: Number(newest ?? 0), id: String(newestId ?? '') },
      };
    },
    async countKinds(after, upto) {
      const [counts] = await database.read([{ sql: selectKinds, args: { after, upto } }]);
      const rows = counts ? toRecords(counts) : [];
      return new Map(rows.map(({ kind, count }) => [String(kind), Number(count)]));
    },
    async list({ kind, runId, principal, route, sinceMs, untilMs, before, limit }) {
      const [rows] = await drizzle.batch([
        drizzle
          .select({ record: auditTable.record })
          .from(auditTable)
          .where(
            and(
              kind === undefined ? undefined : eq(auditTable.kind, kind),
              runId === undefined ? undefined : eq(auditTable.runId, runId),
              principal === undefined
                ? undefined
                : sql`${principal} in (record ->> '$.principal', record ->> '$.by')`,
              route === undefined ? undefined : sql`record ->> '$.route' = ${route}`,
              sinceMs === undefined ? undefined : sql`record ->> '$.at_ms' >= ${sinceMs}`,
              untilMs === undefined ? undefined : sql`record ->> '$.at_ms' < ${untilMs}`,
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

/** Each a walk to one end of an index; together in one `select` they would be a walk over all rows. */
const selectEnds = `select (select id from svc__audit where n = :n), (select min(n) from svc__audit),
  (select max(n) from svc__audit), (select id from svc__audit order by n desc limit 1)`;

const selectFollowing = 'select n, record from svc__audit where n > :n order by n limit :limit';

/** With the plus the numbers are walked, not all that there ever was of the kind. */
const selectOfKind =
  'select n, record from svc__audit where n > :n and +kind = :kind order by n limit :limit';

const selectKinds =
  'select kind, count(*) as count from svc__audit where n > :after and n <= :upto group by kind';

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
