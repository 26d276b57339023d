import { HTTPError, type Json, reply, Type } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import {
  isWaiting,
  type RunFailed,
  type RunOutcome,
  type RunReport,
  runStepSchema,
  runUsageSchema,
  toWireUsage,
  toWireWaiting,
  type WaitingStatus,
  waitingSchemas,
  waitingStatusSchema,
} from '@waymark/contract/runs';

/** What a behaviour answers that was halted, or reached a limit (decision 7.1). */
const halted = Type.Object({ halted: Type.Literal(true), reason: Type.String() });

/** What a behaviour answers when it is done: the value of its function, whatever that is. */
export const behaviourOutput = Type.Union([
  Type.Unknown({ description: 'What the behaviour gives.' }),
  halted,
]);

/** What a behaviour answers while it waits, for a human or a provider. */
export const behaviourWaiting = Type.Object(
  {
    run_id: Type.String(),
    behaviour: Type.String(),
    path: Type.Array(Type.String()),
    status: waitingStatusSchema,
    steps: Type.Array(runStepSchema),
    usage: runUsageSchema,
    ...waitingSchemas,
  },
  { title: 'BehaviourWaiting' },
);

/**
 * Answers over HTTP and MCP: the bare value, or the run and where to ask for its answer while it waits.
 *
 * @throws {HTTPError} 409 the run was cancelled
 */
export function answerBehaviour(context: EngineContext, outcome: RunOutcome<Json>): unknown {
  const { name } = context.route;
  if (isWaiting(outcome))
    return reply(202, { ...toEnvelope(outcome, name, outcome.status), ...toWireWaiting(outcome) });
  if (outcome.status !== 'cancelled') return outcome.value;
  const run = toEnvelope(outcome, name, outcome.status);
  throw new HTTPError(409, 'the run was cancelled', { code: 'cancelled', run });
}

/** What a failed run is answered with: its cause, with what is known of the run as the member `run`. */
export function withRun(error: RunFailed, behaviour: string): HTTPError {
  const { status, message, members, headers, report } = error;
  const run = toEnvelope(report, behaviour, 'failed');
  return new HTTPError(status, message, { ...members, headers, run, cause: error });
}

function toEnvelope(
  { runId, path, steps, usage }: RunReport,
  behaviour: string,
  status: WaitingStatus | 'cancelled' | 'failed',
) {
  return {
    run_id: runId,
    ...{ behaviour, path, status, steps },
    usage: toWireUsage(usage),
  };
}
