import { Type } from '@waymark/contract';
import {
  type RunReport,
  type RunStatus,
  runStepSchema,
  runUsageSchema,
  toWireUsage,
  waitingSchemas,
} from '@waymark/contract/runs';

/** What an agent answers over HTTP and MCP (decision 6.4). */
export const agentResult = Type.Object(
  {
    run_id: Type.String(),
    agent: Type.String({ description: 'Who answered: the last of the path.' }),
    path: Type.Array(Type.String(), { description: 'The agent, then those it was handed over to.' }),
    status: Type.Union(
      [
        ...['completed', 'max_tokens', 'step_limit', 'budget_exhausted'],
        ...['awaiting_approval', 'waiting_provider', 'failed', 'cancelled'],
      ].map((status) => Type.Literal(status)),
    ),
    output: Type.String(),
    steps: Type.Array(runStepSchema),
    usage: runUsageSchema,
    session_id: Type.Optional(Type.String()),
    ...waitingSchemas,
  },
  { title: 'AgentResult' },
);

/** How a run left its caller, in wire names. */
export function toEnvelope(
  { runId, path, steps, usage }: RunReport,
  how: {
    readonly agent: string;
    readonly status: RunStatus;
    readonly output: string;
    readonly sessionId: string | undefined;
  },
) {
  const { agent, status, output, sessionId } = how;
  return {
    run_id: runId,
    agent: path.at(-1) ?? agent,
    path,
    ...{ status, output, steps },
    usage: toWireUsage(usage),
    ...(sessionId !== undefined && { session_id: sessionId }),
  };
}
