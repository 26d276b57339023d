import { type Json, Type } from '@waymark/contract';
import {
  type RunReport,
  type RunStatus,
  type RunStep,
  runUsageSchema,
  toWireUsage,
  waitingSchemas,
} from '@waymark/contract/runs';
import { cutError } from '../run/call-step.ts';

/** One step as the result of a flow shows it (decision 7.3). */
const flowStep = Type.Object({
  tool: Type.String({ description: 'The tool; `classify` where a model chose the label.' }),
  duration_ms: Type.Number(),
  ok: Type.Boolean(),
  error: Type.Optional(Type.String()),
  label: Type.Optional(Type.String()),
});

/** What a flow answers over HTTP and MCP (decision 7.3). */
export const flowResult = Type.Object(
  {
    flow: Type.String(),
    run_id: Type.String(),
    status: Type.Union(
      [
        ...['completed', 'max_tokens', 'step_limit', 'budget_exhausted', 'halted'],
        ...['awaiting_approval', 'waiting_provider', 'failed', 'cancelled'],
      ].map((status) => Type.Literal(status)),
    ),
    output: Type.Unknown({ description: 'Null while it waits, and where nothing came of it.' }),
    steps: Type.Array(flowStep, { description: 'Those that have ended, in the order in which they did.' }),
    usage: runUsageSchema,
    ...waitingSchemas,
  },
  { title: 'FlowResult' },
);

/** How a run left its caller, in wire names. Its steps are those of its journal, whichever process did them. */
export function toEnvelope(
  flow: string,
  { runId, steps, usage }: RunReport,
  how: {
    readonly status: RunStatus;
    readonly output: Json;
  },
) {
  const { status, output } = how;
  return {
    flow,
    run_id: runId,
    ...{ status, output },
    steps: steps.flatMap(toFlowStep),
    usage: toWireUsage(usage),
  };
}

/** A flow calls tools, and asks a model for a label; what a human was asked is no step of it. */
function toFlowStep(step: RunStep) {
  const { kind, tool, duration_ms, error, result } = step;
  const how = {
    duration_ms,
    ok: error === undefined,
    ...(error !== undefined && { error: cutError(error) }),
  };
  if (kind === 'tool_call' || kind === 'tool_refused') return [{ tool: tool ?? '', ...how }];
  return kind === 'model' ? [{ tool: 'classify', ...how, ...labelOf(result) }] : [];
}

function labelOf(result: Json | undefined): { readonly label?: string } {
  if (typeof result !== 'object' || result === null || !('label' in result)) return {};
  return typeof result.label === 'string' ? { label: result.label } : {};
}
