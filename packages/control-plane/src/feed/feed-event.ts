import type { Values } from '@waymark/contract';
import type { ToldStep } from '@waymark/contract/runs';
import type { AuditPlace, AuditRecord } from '@waymark/contract/stores';

/** What an event is about. */
export const feedTypes = ['run', 'step', 'approval', 'device', 'insight', 'webhook', 'audit'] as const;

/** One of them. */
export type FeedType = (typeof feedTypes)[number];

/** One event of the feed. */
export interface FeedEvent {
  readonly type: FeedType;
  /** The word of the audit log, or of the step. */
  readonly kind: string;
  readonly data: Values;
  /** The place in the audit log that a reader of it has read to. */
  readonly place: AuditPlace;
  /** Characters of JSON. */
  readonly length: number;
}

/** Characters of JSON of one event; what is longer is told by its size. */
const longest = 8_192;

/** An event of the audit log. */
export function toAuditEvent(record: AuditRecord, n: number): FeedEvent {
  const { kind, id } = record;
  return toEvent(typeOf(kind), kind, record, { n, id });
}

/** A step of a run. @param place of the last event before it */
export function toStepEvent(step: ToldStep, place: AuditPlace): FeedEvent {
  return toEvent('step', step.kind, step, place);
}

/** Stands where steps are missing: nobody knows which. @param place of the last event before them */
export function lostSteps(place: AuditPlace): FeedEvent {
  return { type: 'step', kind: lost, data: {}, place, length: 2 };
}

/** Whether that stands there. */
export function isLost({ type, kind }: FeedEvent): boolean {
  return type === 'step' && kind === lost;
}

/** No kind of a step. */
const lost = '';

function toEvent(type: FeedType, kind: string, members: Values, place: AuditPlace): FeedEvent {
  const data = { ...members, type };
  const { length } = JSON.stringify(data);
  if (length <= longest) return { type, kind, data, place, length };
  const { id, at_ms, run_id } = members;
  const shown = { id, at_ms, kind, run_id, type, cut_chars: length };
  return { type, kind, data: shown, place, length: JSON.stringify(shown).length };
}

/** What an event of the audit log is about. */
export function typeOf(kind: string): FeedType {
  if (ofRuns.has(kind) || kind.startsWith('run_')) return 'run';
  if (kind.startsWith('approval_')) return 'approval';
  if (kind.startsWith('device_')) return 'device';
  if (kind.startsWith('webhook_')) return 'webhook';
  return kind === 'insight' ? 'insight' : 'audit';
}

const ofRuns: ReadonlySet<string> = new Set(['handoff', 'compaction', 'budget_warning']);
