import type { Stores } from '../stores/stores.ts';
import { type MemoryAuditOptions, memoryAuditStore } from './memory-audit-store.ts';
import { memoryEndedSessions } from './memory-ended-sessions.ts';
import { type MemoryInsightOptions, memoryInsightStore } from './memory-insight-store.ts';
import { memoryLeases } from './memory-leases.ts';
import { type MemoryOutboxOptions, memoryOutbox } from './memory-outbox.ts';
import { type MemoryUsageOptions, memoryUsageStore } from './memory-usage-store.ts';

/** The options of each store, by its name. */
export interface MemoryStoresOptions {
  readonly usage?: MemoryUsageOptions;
  readonly audit?: MemoryAuditOptions;
  readonly insights?: MemoryInsightOptions;
  readonly outbox?: MemoryOutboxOptions;
}

/** All stores of an application, in the memory of this process. Insights put their deliveries into its outbox. */
export function memoryStores(options: MemoryStoresOptions = {}): Stores {
  const outbox = memoryOutbox(options.outbox);
  return {
    usage: memoryUsageStore(options.usage),
    audit: memoryAuditStore(options.audit),
    insights: memoryInsightStore(outbox, options.insights),
    outbox,
    leases: memoryLeases(),
    endedSessions: memoryEndedSessions(),
  };
}
