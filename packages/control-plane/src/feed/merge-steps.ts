import type { ToldStep } from '@waymark/contract/runs';
import type { AuditPage, AuditPlace, AuditRecord } from '@waymark/contract/stores';
import { type FeedEvent, toAuditEvent, toStepEvent } from './feed-event.ts';
import { StepQueue } from './step-queue.ts';

/**
 * Puts steps among the events of the audit log that came with them: a run begins before its steps, what it did before something
 * was said of it comes before that, and nothing comes after its end. Clocks say only where between begin and end a step stands.
 *
 * @param steps those of one root by number
 * @param before the place of the last event before all of them
 */
export function mergeSteps(
  records: AuditPage['records'],
  steps: readonly ToldStep[],
  before: AuditPlace,
): readonly FeedEvent[] {
  const queues = toQueues(steps, records);
  const events: FeedEvent[] = [];
  let place = before;
  for (const { n, record } of records) {
    const due = queues.get(rootOf(record))?.takeBefore(record) ?? [];
    for (const step of due) events.push(toStepEvent(step, place));
    const event = toAuditEvent(record, n);
    events.push(event);
    place = event.place;
  }
  for (const queue of queues.values())
    for (const step of queue.takeAll()) events.push(toStepEvent(step, place));
  return events;
}

function toQueues(steps: readonly ToldStep[], records: AuditPage['records']): ReadonlyMap<string, StepQueue> {
  const queues = new Map<string, StepQueue>();
  for (const step of steps) {
    const queue = queues.get(step.root_run_id) ?? new StepQueue();
    queues.set(step.root_run_id, queue);
    queue.put(step);
  }
  for (const { record } of records) queues.get(rootOf(record))?.expect(record);
  return queues;
}

function rootOf(record: AuditRecord): string {
  const [rootId = ''] = String(record['run_id'] ?? '').split('.', 1);
  return rootId;
}
