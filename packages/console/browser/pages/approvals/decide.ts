import { ProblemError } from '@waymark/client-gen/runtime';
import type { ApprovalRow } from '../../client/control.ts';
import { toMoment } from '../../design/words.ts';

/** What became of a decision, in a sentence. */
export interface Verdict {
  readonly tone: 'good' | 'bad' | 'plain';
  readonly text: string;
}

/** What is said when a decision was taken, and something came of the run. */
export function toVerdict(
  { tool, agent }: Pick<ApprovalRow, 'tool' | 'agent'>,
  approve: boolean,
  answer: unknown,
): Verdict {
  const what = approve ? `Approved ${tool}.` : `Declined ${tool}.`;
  return { tone: approve ? 'good' : 'plain', text: `${what} ${toRest(agent, answer)}` };
}

function toRest(agent: string, answer: unknown): string {
  const status =
    typeof answer === 'object' && answer !== null && 'status' in answer ? String(answer.status) : 'completed';
  if (status === 'awaiting_approval') return `${agent} asks once more.`;
  if (status === 'running') return `${agent} goes on at an instance of the newer release.`;
  if (status === 'waiting_provider') return `${agent} waits for its model.`;
  return status === 'completed' ? `${agent} has ended.` : `${agent} ended: ${status.replaceAll('_', ' ')}.`;
}

/**
 * What is said of an error: somebody was faster, it is too late, the caller may not; or it was decided, and then the run
 * failed.
 */
export function toRefusal({ tool }: Pick<ApprovalRow, 'tool'>, approve: boolean, error: unknown): Verdict {
  if (!(error instanceof ProblemError))
    return { tone: 'bad', text: `Nobody knows whether ${tool} was decided: the service did not answer.` };
  if (error.status === 409) return { tone: 'bad', text: toFaster(tool, error) };
  if (error.status === 410) return { tone: 'bad', text: `Too late: the question about ${tool} has expired.` };
  if (error.run !== undefined)
    return {
      tone: 'bad',
      text: `${approve ? 'Approved' : 'Declined'} ${tool}, and then its run failed: ${error.detail}`,
    };
  return { tone: 'bad', text: `${tool} is undecided: ${error.detail} (${error.status})` };
}

function toFaster(tool: string, { body, detail }: ProblemError): string {
  const { decided_by: by, decision, decided_at_ms: atMs } = body as Readonly<Record<string, unknown>>;
  if (typeof by !== 'string') return `${tool} needs no decision any more: ${detail}.`;
  const how = decision === 'approved' ? 'approved' : 'declined';
  const when = typeof atMs === 'number' ? `, ${toMoment(atMs)}` : '';
  return `${by} was faster and ${how} ${tool}${when}.`;
}

/** What happens to the one who asks when the answer is no. */
export function toConsequence({ kind, agent, tool }: Pick<ApprovalRow, 'kind' | 'agent' | 'tool'>): string {
  if (kind === 'agent')
    return `${tool} is not called. ${agent} is told that a human declined, with your note, and goes on without it.`;
  if (kind === 'behaviour')
    return `${tool} is not called. The code of ${agent} gets an error with your note; what it does then is up to it.`;
  return `${tool} is not called, and ${agent} ends as failed at this step. What it did before stays.`;
}
