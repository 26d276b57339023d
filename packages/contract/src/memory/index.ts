export { type MemoryAuditOptions, memoryAuditStore } from './memory-audit-store.ts';
export { type MemoryInsightOptions, memoryInsightStore } from './memory-insight-store.ts';
export { memoryLeases } from './memory-leases.ts';
export { type MemoryOutboxOptions, memoryOutbox } from './memory-outbox.ts';
export { type MemoryStoresOptions, memoryStores } from './memory-stores.ts';
export { type MemoryUsageOptions, memoryUsageStore } from './memory-usage-store.ts';
