import type { Delivery, Outbox } from '../stores/stores.ts';

/** How much a `memoryOutbox` holds. */
export interface MemoryOutboxOptions {
  /** Deliveries held that are neither made nor given up, 1 or more; 1,000. */
  readonly keep?: number;
}

interface Entry {
  readonly delivery: Delivery;
  readonly attempts: number;
  readonly dueMs: number;
}

/**
 * Keeps deliveries of this process until they are made or given up. A restart loses them, and so does a receiver that
 * stays away for longer than there is room: the oldest go first.
 */
export function memoryOutbox({ keep = 1_000 }: MemoryOutboxOptions = {}): Outbox {
  // A map keeps the order in which deliveries came; setting an entry again does not move it.
  const entries = new Map<string, Entry>();
  return {
    async add(delivery, atMs) {
      if (entries.has(delivery.id)) return;
      entries.set(delivery.id, { delivery, attempts: 0, dueMs: atMs });
      const [oldest] = entries.keys();
      if (entries.size > keep && oldest !== undefined) entries.delete(oldest);
    },
    async due(nowMs, limit) {
      return [...entries.values()]
        .filter(({ dueMs }) => dueMs <= nowMs)
        .slice(0, limit)
        .map(({ delivery, attempts }) => ({ ...delivery, attempts }));
    },
    async settle(id, result) {
      const entry = entries.get(id);
      if (!entry) return;
      if (result.delivered || result.retryAtMs === null) entries.delete(id);
      else entries.set(id, { ...entry, attempts: entry.attempts + 1, dueMs: result.retryAtMs });
    },
  };
}
