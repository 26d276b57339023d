export { auditStoreCases } from './audit-store-cases.ts';
export { byTier } from './by-tier.ts';
export { decodeMessages } from './decode-messages.ts';
export { type FixedClock, fixedClock } from './fixed-clock.ts';
export { freePort } from './free-port.ts';
export { hubBackendCases } from './hub-backend-cases.ts';
export { insightStoreCases } from './insight-store-cases.ts';
export { leasesCases } from './leases-cases.ts';
export { type MemoryPeer, memoryPeer } from './memory-peer.ts';
export { outboxCases } from './outbox-cases.ts';
export { limitsOfCases, runLimitCases } from './runs/run-limit-cases.ts';
export { approvalRecord, opRecord, runRecord, spendRecord } from './runs/run-records.ts';
export { runRetryCases } from './runs/run-retry-cases.ts';
export { runStoreCases } from './runs/run-store-cases.ts';
export { runWaitCases } from './runs/run-wait-cases.ts';
export { sessionStoreCases } from './runs/session-store-cases.ts';
export {
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedReply,
  scriptedModel,
} from './scripted-model.ts';
export type { StoreCase } from './store-case.ts';
export { type LogLine, type TestHost, testHost } from './test-host.ts';
export { usageStoreCases } from './usage-store-cases.ts';
export { verifies } from './verifies.ts';
