import {
  type Approval,
  answerWaiting,
  type EngineContext,
  HTTPError,
  type Json,
  pendingApprovalSchema,
  type RunFailed,
  type RunOutcome,
  type RunReport,
  runStepSchema,
  runUsageSchema,
  Type,
  toPendingApproval,
  toWireUsage,
} from '@waymark/contract';

/** What a behaviour answers that was halted, or reached a limit (decision 7.1). */
const halted = Type.Object({ halted: Type.Literal(true), reason: Type.String() });

/** What a behaviour answers when it is done: the value of its function, whatever that is. */
export const behaviourOutput = Type.Union([
  Type.Unknown({ description: 'What the behaviour gives.' }),
  halted,
]);

/** What a behaviour answers while it waits for a human. */
export const behaviourWaiting = Type.Object(
  {
    run_id: Type.String(),
    behaviour: Type.String(),
    path: Type.Array(Type.String()),
    status: Type.Literal('awaiting_approval'),
    steps: Type.Array(runStepSchema),
    usage: runUsageSchema,
    pending_approvals: Type.Array(pendingApprovalSchema),
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
  switch (outcome.status) {
    case 'awaiting_approval':
      return answerWaiting(
        context,
        outcome.runId,
        toEnvelope(outcome, name, outcome.status, outcome.approvals),
      );
    case 'cancelled':
      throw new HTTPError(409, 'the run was cancelled', {
        code: 'cancelled',
        run: toEnvelope(outcome, name, outcome.status),
      });
    default:
      return outcome.value;
  }
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
  status: 'awaiting_approval' | 'cancelled' | 'failed',
  approvals?: readonly Approval[],
) {
  return {
    run_id: runId,
    ...{ behaviour, path, status, steps },
    usage: toWireUsage(usage),
    ...(approvals && { pending_approvals: approvals.map(toPendingApproval) }),
  };
}
