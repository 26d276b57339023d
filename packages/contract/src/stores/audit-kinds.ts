/** Kinds of events that a service audits by itself. Plugins have others, which they name (`Plugin.audits`). */
export const auditKinds: readonly string[] = [
  ...['tool_called', 'tool_refused', 'auth_refused', 'session_opened', 'session_ended'],
  ...['run_started', 'run_waiting', 'run_finished', 'run_retried', 'run_forked'],
  ...['approval_requested', 'approval_decided', 'handoff', 'compaction', 'budget_warning'],
  ...['insight', 'watcher_limited', 'device_status'],
  ...['webhook_failed', 'webhook_stopped', 'webhook_dropped', 'audit_gap'],
];
