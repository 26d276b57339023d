import type { Insight } from '../hub/insight.ts';
import type { Outbox } from '../stores/outbox.ts';
import type { InsightStore } from '../stores/stores.ts';

/** How much a `memoryInsightStore` holds. */
export interface MemoryInsightOptions {
  /** Insights held for each device, 1 or more; 32 (decision 9.1). */
  readonly keepPerDevice?: number;
}

/**
 * Keeps the newest insights of each device in this process; the oldest go first. A restart forgets them.
 *
 * An insight counts as published already while one with its run id and status is kept for the device: nothing is
 * delivered a second time. Insights without a run (an empty id) are always new.
 *
 * @param outbox takes the deliveries, due at the time of their insight
 */
export function memoryInsightStore(
  outbox: Pick<Outbox, 'add'>,
  { keepPerDevice = 32 }: MemoryInsightOptions = {},
): InsightStore {
  // One entry for each declared device, so the map is as bounded as the declarations are.
  const byDevice = new Map<string, readonly Insight[]>();
  return {
    async publish(insight, delivery) {
      const kept = byDevice.get(insight.device) ?? [];
      if (insight.run_id !== '' && kept.some((one) => isSame(one, insight))) return;
      byDevice.set(insight.device, [...kept, insight].slice(-keepPerDevice));
      if (delivery) await outbox.add(delivery, insight.at_ms);
    },
    async recent(device, limit) {
      const kept = byDevice.get(device) ?? [];
      return kept.slice(Math.max(0, kept.length - limit));
    },
  };
}

function isSame(a: Insight, b: Insight): boolean {
  return a.run_id === b.run_id && a.status === b.status;
}
