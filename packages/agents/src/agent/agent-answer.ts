import {
  type EngineContext,
  HTTPError,
  type Json,
  type Reply,
  type RunFailed,
  type RunOutcome,
  reply,
} from '@waymark/contract';
import type { AgentTurn } from './agent-input.ts';
import { toEnvelope } from './agent-result.ts';

/**
 * Answers whoever called an agent from inside a run (decision 6.6): with its output alone where it completed. Agents and
 * flows can go on with less and read `{status, output}`; for code it is an error.
 *
 * @throws {HTTPError} 502 it did not complete
 */
export function answerCaller({ via, route }: EngineContext, outcome: RunOutcome<string>): Json {
  const { status } = outcome;
  const output = outputOf(outcome);
  if (status === 'completed') return output;
  if (via === 'agent' || via === 'flow') return { status, output };
  throw new HTTPError(502, `agent "${route.name}" ended ${status}`, { code: status });
}

/** Answers over HTTP and MCP: the whole result, 202 and where to ask for it while it waits. */
export function answerDoor(
  { request, principal, route }: EngineContext,
  outcome: RunOutcome<string>,
  { sessionId }: AgentTurn,
): Reply | object {
  const { status } = outcome;
  const about = { agent: route.name, status, output: outputOf(outcome), sessionId };
  if (outcome.status !== 'awaiting_approval') return toEnvelope(outcome, about);
  const waiting = toEnvelope(outcome, { ...about, approvals: outcome.approvals });
  // All anonymous callers are one: none of them may read what another one started.
  const headers: Readonly<Record<string, string>> = principal.authenticated
    ? { location: `${request.path}/runs/${outcome.runId}` }
    : {};
  return reply(202, waiting, headers);
}

/** What a failed run is answered with: its cause, with the whole result as the member `run`. */
export function withResult(error: RunFailed, agent: string, { sessionId }: AgentTurn): HTTPError {
  const { status, message, members, headers, report } = error;
  const run = toEnvelope(report, { agent, status: 'failed', output: '', sessionId }) as Json;
  return new HTTPError(status, message, { ...members, headers, run, cause: error });
}

/** A run that was ended from outside has said nothing. */
function outputOf(outcome: RunOutcome<string | null>): string {
  return ('value' in outcome && outcome.value) || '';
}
