import type { AuditRecord, AuditStore } from '../stores/stores.ts';

/** How much a `memoryAuditStore` holds. */
export interface MemoryAuditOptions {
  /** Records held, 1 or more; 10,000. */
  readonly keep?: number;
}

/**
 * Keeps the newest audit records of this process, by id; the oldest go first. A restart forgets them.
 *
 * A record whose id is kept already is not taken again, so a batch can be appended twice.
 */
export function memoryAuditStore({ keep = 10_000 }: MemoryAuditOptions = {}): AuditStore {
  // In the order of their ids, oldest first.
  const records: AuditRecord[] = [];
  return {
    async append(added) {
      for (const record of added) insert(records, record);
      if (records.length > keep) records.splice(0, records.length - keep);
    },
    async list({ kind, runId, before, limit }) {
      const found: AuditRecord[] = [];
      for (let i = records.length - 1; i >= 0 && found.length < limit; i--) {
        const record = records[i];
        if (!record || (before !== undefined && record.id >= before)) continue;
        if (kind !== undefined && record.kind !== kind) continue;
        if (runId !== undefined && record['run_id'] !== runId) continue;
        found.push(record);
      }
      return found;
    },
  };
}

/** Ids nearly always come in order, so the search from the end is short. */
function insert(records: AuditRecord[], record: AuditRecord): void {
  const at = records.findLastIndex(({ id }) => id <= record.id);
  if (records[at]?.id !== record.id) records.splice(at + 1, 0, record);
}
