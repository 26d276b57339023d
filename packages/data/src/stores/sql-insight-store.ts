import { type Evidence, type InsightStore, keptEvidenceBytes } from '@waymark/contract/stores';
import type { SQL } from 'drizzle-orm';
import { and, desc, eq, inArray, ne, notInArray, sql } from '../database/drizzle-orm.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import { toDrizzle } from '../database/to-drizzle.ts';
import type { SqlOutboxOptions } from './outbox-limits.ts';
import { addDelivery } from './sql-outbox.ts';
import { insightTable } from './tables.ts';

/** Limits of a `sqlInsightStore`. */
export interface SqlInsightOptions {
  /** Newest insights that are kept of each device, 1 or more; default: 32 (decision 9.1). */
  readonly keepPerDevice?: number;
  /** Bytes that the evidence of a device may take; default: 16 MB. On a server no picture of it is larger than 4.9 MB. */
  readonly evidenceBytesPerDevice?: number;
  /** Options of the outbox that the deliveries go to. */
  readonly outbox?: SqlOutboxOptions;
}

/** A libsql server takes no row of 5,000,000 bytes or more; the rest of it are short names. */
const remoteBytes = 4_900_000;

/**
 * Keeps the newest insights of each device in the database; the oldest go first.
 *
 * An insight counts as published already while one with its run id and status is kept for the device, or one of it that
 * completed: nothing is delivered a second time. Insights without a run (an empty id) are always new. Deliveries go to the outbox of the
 * same database, in the commit of their insight, due at its time.
 *
 * On a server a picture of more than 4.9 MB is not kept; its insight is.
 */
export function sqlInsightStore(
  database: SqlDatabase,
  { keepPerDevice = 32, evidenceBytesPerDevice = keptEvidenceBytes, outbox = {} }: SqlInsightOptions = {},
): InsightStore {
  const drizzle = toDrizzle(database);
  const mostBytes =
    database.kind === 'remote' ? Math.min(remoteBytes, evidenceBytesPerDevice) : evidenceBytesPerDevice;
  return {
    async publish(insight, { deliveries = [], evidence } = {}) {
      const { device, run_id: runId, status, at_ms: atMs } = insight;
      const run = and(
        eq(insightTable.device, device),
        eq(insightTable.runId, runId),
        ne(insightTable.runId, ''),
      );
      const known = drizzle.select({ n: insightTable.n }).from(insightTable);
      const same = known.where(and(run, inArray(insightTable.status, [status, 'completed'])));
      // Asked of each statement that comes before the insight itself.
      const when = sql`not exists ${same}`;
      const [published] = await drizzle.batch([
        same,
        ...deliveries.flatMap((one) => addDelivery(drizzle, one, atMs, { ...outbox, when })),
        ...(evidence && runId !== '' && evidence.bytes.length <= mostBytes
          ? [drizzle.run(putEvidence(device, runId, evidence, when))]
          : []),
        drizzle.delete(insightTable).where(and(run, notInArray(insightTable.status, [status, 'completed']))),
        drizzle.insert(insightTable).values({ device, runId, status, insight }).onConflictDoNothing(),
        drizzle.delete(insightTable).where(
          sql`device = ${device} and n <= (select n from ${insightTable} where device = ${device}
            order by n desc limit 1 offset ${keepPerDevice})`,
        ),
        drizzle.run(sql`delete from svc__evidence where device = ${device} and (
          run_id not in (select run_id from ${insightTable} where device = ${device})
          or n in (select n from (
            select n, sum(length(bytes)) over (order by n desc) as taken from svc__evidence where device = ${device}
          ) where taken > ${evidenceBytesPerDevice}))`),
      ]);
      return published.length === 0;
    },
    async recent(device, limit) {
      const [rows] = await drizzle.batch([
        drizzle
          .select({ insight: insightTable.insight })
          .from(insightTable)
          .where(eq(insightTable.device, device))
          .orderBy(desc(insightTable.n))
          .limit(limit),
      ]);
      return rows.map(({ insight }) => insight).reverse();
    },
    async evidence(device, runId) {
      const [found] = await database.read([{ sql: findEvidence, args: { device, run: runId } }]);
      const [mediaType, token, atMs, bytes] = found?.rows[0] ?? [];
      if (!(bytes instanceof Uint8Array)) return undefined;
      return {
        mediaType: String(mediaType),
        token: String(token),
        atMs: Number(atMs),
        bytes: toBuffer(bytes),
      };
    },
    async withEvidence(device) {
      const [found] = await database.read([{ sql: listEvidence, args: { device } }]);
      return new Set(found?.rows.map(([runId]) => String(runId)));
    },
  };
}

/** What a run has given before is replaced, and counts as new. */
function putEvidence(device: string, runId: string, { mediaType, token, bytes }: Evidence, when: SQL): SQL {
  return sql`insert or replace into svc__evidence (device, run_id, media_type, token, bytes)
    select ${device}, ${runId}, ${mediaType}, ${token}, ${bytes} where ${when}`;
}

const findEvidence = `select media_type, token, json_extract(insight, '$.at_ms'), bytes
  from svc__evidence join svc__insight using (device, run_id) where device = :device and run_id = :run`;

const listEvidence = 'select run_id from svc__evidence where device = :device';

/** The same bytes, as they were published. */
function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
