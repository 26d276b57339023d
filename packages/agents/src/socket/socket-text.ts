import type { RouteResponse } from '@waymark/contract/engine';
import type { RunStep } from '@waymark/contract/runs';

/** Words a step: of its own run, which may be one below that of the turn. */
export function stepText(step: RunStep): string {
  return JSON.stringify({ type: 'step', run_id: step.run_id, agent: step.agent, step });
}

/** @param json the result, as the agent's route answers it */
export function resultText(json: string): string {
  return `{"type":"result","result":${json}}`;
}

/** Words the end of a run that failed: its result, and why. */
export function failureText(run: unknown, { detail, code, status }: Failure): string {
  return JSON.stringify({ type: 'result', result: run, problem: { status, detail, code } });
}

/** The cause of a failed run, as problem documents have it. */
interface Failure {
  readonly status: number;
  readonly detail: string;
  readonly code?: string | undefined;
}

/** What an error is about, as far as it has a name. */
export interface Named {
  readonly runId?: string | undefined;
  readonly key?: string | undefined;
}

/** Words the refusal of a message, or why no more is told of a run, which may go on. */
export function errorText({ status, body, headers }: RouteResponse, { runId, key }: Named): string {
  const problem = body.kind === 'problem' ? body : { kind: 'problem', detail: `answered ${status}` };
  const { kind: _, detail, ...members } = problem;
  const retryAfter = Number(headers['retry-after']);
  return JSON.stringify({
    ...{ type: 'error', message: detail, status, ...members, run_id: runId, idempotency_key: key },
    ...(Number.isFinite(retryAfter) && { retry_after: retryAfter }),
  });
}
