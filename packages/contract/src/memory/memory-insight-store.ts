import type { Insight } from '../hub/insight.ts';
import { keptEvidenceBytes } from '../stores/kept-evidence.ts';
import type { Outbox } from '../stores/outbox.ts';
import type { Evidence, InsightStore } from '../stores/stores.ts';

/** How much a `memoryInsightStore` holds. */
export interface MemoryInsightOptions {
  /** Insights held for each device, 1 or more; 32 (decision 9.1). */
  readonly keepPerDevice?: number;
  /** Bytes that the evidence of a device may take; 16 MB. */
  readonly evidenceBytesPerDevice?: number;
}

/**
 * Keeps the newest insights of each device in this process; the oldest go first. A restart forgets them.
 *
 * An insight counts as published already while one with its run id and status is kept for the device, or one of it that
 * completed: nothing is delivered a second time. Insights without a run (an empty id) are always new.
 *
 * @param outbox takes the deliveries, due at the time of their insight
 */
export function memoryInsightStore(
  outbox: Pick<Outbox, 'add'>,
  { keepPerDevice = 32, evidenceBytesPerDevice = keptEvidenceBytes }: MemoryInsightOptions = {},
): InsightStore {
  // One entry for each declared device, so the maps are as bounded as the declarations are.
  const byDevice = new Map<string, readonly Insight[]>();
  const evidenceOf = new Map<string, ReadonlyMap<string, Evidence>>();
  return {
    async publish(insight, { deliveries = [], evidence } = {}) {
      const { device, run_id: runId } = insight;
      const kept = byDevice.get(device) ?? [];
      const before = runId === '' ? undefined : kept.find((one) => one.run_id === runId);
      if (before?.status === insight.status || before?.status === 'completed') return false;
      const next = [...kept.filter((one) => one !== before), insight].slice(-keepPerDevice);
      byDevice.set(device, next);
      const pictures = new Map(evidenceOf.get(device));
      if (evidence && runId !== '' && evidence.bytes.length <= evidenceBytesPerDevice) {
        pictures.delete(runId);
        pictures.set(runId, evidence);
      }
      evidenceOf.set(device, within(pictures, next, evidenceBytesPerDevice));
      for (const delivery of deliveries) await outbox.add(delivery, insight.at_ms);
      return true;
    },
    async recent(device, limit) {
      const kept = byDevice.get(device) ?? [];
      return kept.slice(Math.max(0, kept.length - limit));
    },
    async evidence(device, runId) {
      const evidence = evidenceOf.get(device)?.get(runId);
      const insight = byDevice.get(device)?.find((one) => one.run_id === runId);
      return evidence && insight && { ...evidence, atMs: insight.at_ms };
    },
    async withEvidence(device) {
      return new Set(evidenceOf.get(device)?.keys());
    },
  };
}

/** The newest evidence of insights that are kept, as far as it fits. */
function within(
  pictures: ReadonlyMap<string, Evidence>,
  insights: readonly Insight[],
  limit: number,
): ReadonlyMap<string, Evidence> {
  const runs = new Set(insights.map(({ run_id }) => run_id));
  const fitting: [string, Evidence][] = [];
  let bytes = 0;
  for (const [runId, picture] of [...pictures].reverse()) {
    if (!runs.has(runId)) continue;
    bytes += picture.bytes.length;
    if (bytes > limit) break;
    fitting.push([runId, picture]);
  }
  return new Map(fitting.reverse());
}
