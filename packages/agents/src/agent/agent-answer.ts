import { HTTPError, type Json, type Reply, reply } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import { isWaiting, type RunFailed, type RunOutcome, toWireWaiting } from '@waymark/contract/runs';
import type { AgentTurn } from './agent-input.ts';
import { toEnvelope } from './agent-result.ts';

/** Answers over HTTP and MCP: the whole result, 202 and where to ask for it while it waits. */
export function answerDoor(
  context: EngineContext,
  outcome: RunOutcome<string>,
  { sessionId }: AgentTurn,
): Reply | object {
  const { status } = outcome;
  const about = { agent: context.route.name, status, output: outputOf(outcome), sessionId };
  const envelope = toEnvelope(outcome, about);
  if (!isWaiting(outcome)) return envelope;
  return reply(202, { ...envelope, ...toWireWaiting(outcome) });
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
