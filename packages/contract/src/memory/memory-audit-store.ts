import type { AuditRecord, AuditStore } from '../stores/stores.ts';

/** How much a `memoryAuditStore` holds. */
export interface MemoryAuditOptions {
  /** Records held, 1 or more; 10,000. */
  readonly keep?: number;
}

type Filter = Parameters<AuditStore['list']>[0];

/**
 * Keeps the newest audit records of this process, by id; the oldest go first. A restart forgets them.
 *
 * A record whose id is kept already is not taken again, so a batch can be appended twice.
 */
export function memoryAuditStore({ keep = 10_000 }: MemoryAuditOptions = {}): AuditStore {
  // In the order of their ids, oldest first; and as they came.
  const records: AuditRecord[] = [];
  const stored: AuditRecord[] = [];
  /** How many came before the first of `stored`. */
  let gone = 0;
  return {
    async append(added) {
      for (const record of added) if (insert(records, record)) stored.push(record);
      if (records.length > keep) records.splice(0, records.length - keep);
      if (stored.length > keep) gone += stored.splice(0, stored.length - keep).length;
    },
    async following(n, limit, kind) {
      const from = Math.max(0, n - gone);
      const newest = stored.at(-1);
      return {
        records: stored
          .slice(from, kind === undefined ? from + limit : undefined)
          .map((record, i) => ({ n: gone + from + i + 1, record }))
          .filter(({ record }) => kind === undefined || record.kind === kind)
          .slice(0, limit),
        at: stored[n - gone - 1]?.id,
        oldest: stored.length === 0 ? 0 : gone + 1,
        newest: newest ? { n: gone + stored.length, id: newest.id } : { n: 0, id: '' },
      };
    },
    async countKinds(after, upto) {
      const counts = new Map<string, number>();
      for (const { kind } of stored.slice(Math.max(0, after - gone), Math.max(0, upto - gone)))
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      return counts;
    },
    async list(filter) {
      const found: AuditRecord[] = [];
      for (let i = records.length - 1; i >= 0 && found.length < filter.limit; i--) {
        const record = records[i];
        if (record && fits(record, filter)) found.push(record);
      }
      return found;
    },
  };
}

function fits(
  record: AuditRecord,
  { kind, runId, principal, route, sinceMs, untilMs, before }: Filter,
): boolean {
  return (
    (before === undefined || record.id < before) &&
    (kind === undefined || record.kind === kind) &&
    (runId === undefined || record['run_id'] === runId) &&
    (principal === undefined || record['principal'] === principal || record['by'] === principal) &&
    (route === undefined || record['route'] === route) &&
    (sinceMs === undefined || record.at_ms >= sinceMs) &&
    (untilMs === undefined || record.at_ms < untilMs)
  );
}

/** Ids nearly always come in order, so the search from the end is short. @returns false: it was there already */
function insert(records: AuditRecord[], record: AuditRecord): boolean {
  const at = records.findLastIndex(({ id }) => id <= record.id);
  if (records[at]?.id === record.id) return false;
  records.splice(at + 1, 0, record);
  return true;
}
