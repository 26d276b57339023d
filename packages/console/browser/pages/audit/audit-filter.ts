import type { ControlAuditInput } from '../../client/control.ts';

/** Kinds of events that a service writes by itself, as the contract has them; plugins may have others. */
export const knownKinds = [
  ...['tool_called', 'tool_refused', 'auth_refused', 'session_opened', 'session_ended'],
  ...['run_started', 'run_waiting', 'run_finished', 'run_retried', 'run_forked'],
  ...['approval_requested', 'approval_decided', 'handoff', 'compaction', 'budget_warning'],
  ...['insight', 'watcher_limited', 'device_status'],
  ...['webhook_failed', 'webhook_stopped', 'webhook_dropped', 'audit_gap'],
] as const;

/** How far back is looked. */
export const spans = ['', 'hour', 'day', 'week'] as const;
type Span = (typeof spans)[number];

/** What is asked of the log, as the address has it. */
export interface AuditFilter {
  readonly kind: string;
  readonly principal: string;
  readonly route: string;
  readonly run: string;
  readonly span: Span;
}

const hourMs = 3_600_000;
const lengths: Readonly<Record<Exclude<Span, ''>, number>> = {
  ...{ hour: hourMs, day: 24 * hourMs, week: 7 * 24 * hourMs },
};

/** Reads the filter of an address. */
export function toAuditFilter(query: Readonly<Record<string, string>>): AuditFilter {
  return {
    kind: query['kind'] ?? '',
    principal: query['principal'] ?? '',
    route: query['route'] ?? '',
    run: query['run'] ?? '',
    span: spans.find((one) => one === query['span']) ?? '',
  };
}

/** The question that a filter is for the log. */
export function toAuditQuestion(
  { kind, principal, route, run, span }: AuditFilter,
  nowMs: number,
): Omit<ControlAuditInput, 'before' | 'limit'> {
  return {
    ...(kind !== '' && { kind }),
    ...(principal !== '' && { principal }),
    ...(route !== '' && { route }),
    ...(run !== '' && { run_id: run }),
    ...(span !== '' && { since_ms: nowMs - lengths[span] }),
  };
}

/** Whether anything is left out. */
export function isFiltered(filter: AuditFilter): boolean {
  return Object.values(filter).some((one) => one !== '');
}

/** An event, as far as its order goes. */
interface Listed {
  readonly id: string;
}

/** Events that are held; older ones are asked for again. */
export const mostHeld = 20_000;

/**
 * Takes a page of the log into what is held, newest first and each once. Ids sort by time.
 *
 * @param page in any order
 */
export function mergeEvents<E extends Listed>(held: readonly E[], page: readonly E[]): readonly E[] {
  const known = new Set(held.map(({ id }) => id));
  const fresh = page.filter(({ id }) => !known.has(id));
  if (fresh.length === 0) return held;
  return [...held, ...fresh].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, mostHeld);
}

/** Whether newer events may be missing between what is held and a page: none of it was known. */
export function hasGap<E extends Listed>(held: readonly E[], page: readonly E[], pageSize: number): boolean {
  const known = new Set(held.map(({ id }) => id));
  return held.length > 0 && page.length >= pageSize && !page.some(({ id }) => known.has(id));
}
