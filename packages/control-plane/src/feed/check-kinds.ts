import { HTTPError } from '@waymark/contract';
import { nearest } from '@waymark/contract/declaring';
import type { AuditStore } from '@waymark/contract/stores';

/** Kinds of events that a service audits by itself; plugins have others, which nobody declares. */
export const auditKinds: readonly string[] = [
  ...['tool_called', 'tool_refused', 'auth_refused', 'session_opened', 'session_ended', 'audit_gap'],
  ...['run_started', 'run_waiting', 'run_finished', 'run_retried', 'run_forked'],
  ...['approval_requested', 'approval_decided', 'handoff', 'compaction', 'budget_warning'],
  ...['insight', 'watcher_limited', 'device_status', 'webhook_failed', 'webhook_stopped', 'webhook_dropped'],
];

/**
 * Refuses a word that is nearly one of those known, and a kind of no event that is kept: it would find nothing. Any other may
 * be that of a plugin whose first event is still to come.
 *
 * @throws {HTTPError} 422, with the word that was probably meant
 */
export async function checkKinds(
  words: readonly string[],
  known: readonly string[],
  audit: Pick<AuditStore, 'list'>,
): Promise<void> {
  for (const word of words) {
    const meant = known.includes(word) ? undefined : nearest(word, known);
    if (meant === undefined || (await audit.list({ kind: word, limit: 1 })).length > 0) continue;
    throw new HTTPError(422, `there is no kind "${word}" (did you mean "${meant}"?)`);
  }
}
