import type { Insight } from '@waymark/contract/hub';
import type { AuditRecord } from '@waymark/contract/stores';
import { integer, sqliteTable, text } from '../database/drizzle-orm.ts';

// What `migrations.ts` makes, as drizzle wants to know it; a test compares the two.

/** The audit log, in the order records came. */
export const auditTable = sqliteTable('svc__audit', {
  n: integer().primaryKey(),
  id: text().notNull(),
  kind: text().notNull(),
  runId: text('run_id'),
  record: text({ mode: 'json' }).$type<AuditRecord>().notNull(),
});

/** The newest insights of each device. */
export const insightTable = sqliteTable('svc__insight', {
  n: integer().primaryKey(),
  device: text().notNull(),
  runId: text('run_id').notNull(),
  status: text().notNull(),
  insight: text({ mode: 'json' }).$type<Insight>().notNull(),
});

/** Who holds which lease. */
export const leaseTable = sqliteTable('svc__lease', {
  key: text().primaryKey(),
  holder: text().notNull(),
  fence: integer().notNull(),
  endsMs: integer('ends_ms').notNull(),
});

/** One row: the fence given last, over all keys. It outlives the leases, so that fences always grow. */
export const fenceTable = sqliteTable('svc__fence', { last: integer().notNull() });

/** Uses that still count towards a ceiling. */
export const useTable = sqliteTable('svc__use', {
  n: integer().primaryKey(),
  key: text().notNull(),
  atMs: integer('at_ms').notNull(),
  endsMs: integer('ends_ms').notNull(),
});

/** The spend ledger, in the order rows came. */
export const spendTable = sqliteTable('svc__spend', {
  n: integer().primaryKey(),
  atMs: integer('at_ms').notNull(),
  caller: text().notNull(),
  model: text().notNull(),
  provider: text().notNull(),
  inputTokens: integer('input_tokens').notNull(),
  outputTokens: integer('output_tokens').notNull(),
  cacheReadTokens: integer('cache_read_tokens').notNull(),
  cacheWriteTokens: integer('cache_write_tokens').notNull(),
  costMicros: integer('cost_micros'),
  estimated: integer({ mode: 'boolean' }).notNull(),
});
