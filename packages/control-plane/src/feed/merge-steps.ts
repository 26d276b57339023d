import type { ToldStep } from '@waymark/contract/runs';
import type { AuditPage, AuditPlace } from '@waymark/contract/stores';
import { type FeedEvent, toAuditEvent, toStepEvent } from './feed-event.ts';

/**
 * Puts steps among the events of the audit log that came with them: what a run did before something was said of it comes before
 * that, and nothing comes after its end.
 *
 * @param before the place of the last event before all of them
 */
export function mergeSteps(
  records: AuditPage['records'],
  steps: readonly ToldStep[],
  before: AuditPlace,
): readonly FeedEvent[] {
  const waiting = byRoot(steps);
  const events: FeedEvent[] = [];
  let place = before;
  for (const { n, record } of records) {
    const [rootId = ''] = String(record['run_id'] ?? '').split('.', 1);
    const own = waiting.get(rootId) ?? [];
    const isEnd = record.kind === 'run_finished';
    const later = isEnd
      ? own.length
      : own.findIndex(({ at_ms, duration_ms }) => at_ms + duration_ms > record.at_ms);
    for (const step of own.splice(0, later < 0 ? own.length : later)) events.push(toStepEvent(step, place));
    const event = toAuditEvent(record, n);
    events.push(event);
    place = event.place;
  }
  for (const own of waiting.values()) for (const step of own) events.push(toStepEvent(step, place));
  return events;
}

function byRoot(steps: readonly ToldStep[]): ReadonlyMap<string, ToldStep[]> {
  const roots = new Map<string, ToldStep[]>();
  for (const step of steps) {
    const own = roots.get(step.root_run_id);
    if (own) own.push(step);
    else roots.set(step.root_run_id, [step]);
  }
  return roots;
}
