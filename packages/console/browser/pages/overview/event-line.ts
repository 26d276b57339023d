import type { ControlAuditOutputEventsItem } from '../../client/control.ts';
import { toLine } from '../../design/json-text.ts';
import type { Tone } from '../../design/tone.ts';
import { toDuration } from '../../design/words.ts';

/** One event of the audit log as a sentence. */
export interface EventLine {
  readonly text: string;
  readonly tone: Tone;
}

/** Says what happened; an event of a kind that nobody knows here is told by its members. */
export function toEventLine(event: ControlAuditOutputEventsItem): EventLine {
  const text = (name: string): string => toLine(event[name] ?? '', 80);
  const { kind } = event;
  if (kind === 'tool_called') {
    const status = Number(event['status']);
    const tone = status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good';
    const took = toDuration(Number(event['duration_ms']));
    return {
      tone,
      text: `${text('principal')} called ${text('route')} through ${text('via')}: ${status} in ${took}`,
    };
  }
  if (kind === 'run_started') return { tone: 'busy', text: `${text('name')} began for ${text('principal')}` };
  if (kind === 'run_finished')
    return {
      tone: event['status'] === 'completed' ? 'good' : event['status'] === 'failed' ? 'bad' : 'idle',
      text: `${text('name')} ended: ${text('status').replaceAll('_', ' ')}`,
    };
  if (kind === 'approval_requested') return { tone: 'warn', text: `${text('tool')} waits for approval` };
  if (kind === 'approval_decided')
    return { tone: 'idle', text: `${text('by')} decided on ${text('tool')}: ${text('status')}` };
  if (kind === 'session_opened') return { tone: 'idle', text: `${text('principal')} signed in` };
  if (kind === 'session_ended') return { tone: 'idle', text: `${text('principal')} signed out` };
  if (kind === 'handoff') return { tone: 'idle', text: `${text('from')} handed over to ${text('to')}` };
  if (kind === 'device_status')
    return {
      tone: event['status'] === 'online' ? 'good' : 'warn',
      text: `device ${text('device')} is ${text('status')}`,
    };
  if (kind === 'insight') return { tone: 'idle', text: `${text('watcher')}: ${text('output')}` };
  const { id: _id, at_ms: _atMs, kind: _kind, ...members } = event;
  return { tone: 'idle', text: `${kind.replaceAll('_', ' ')} ${toLine(members, 100)}` };
}
