import { callTool, HTTPError, type Json, type ToolResult } from '@waymark/contract';
import type { RunEnd } from '@waymark/contract/runs';
import { toolFailure } from '@waymark/contract/tools';
import { isMembers, type Members, resolveMapping, type StepValues } from '../template/resolve-mapping.ts';
import { cutText } from './cut-text.ts';
import type { PlannedStep } from './flow-plan.ts';
import type { FlowWork } from './flow-work.ts';
import { toText } from './to-text.ts';

/**
 * Makes the call of one step. Everything that is asked is asked before this returns a promise, so that parallel steps
 * are numbered in their order.
 *
 * @returns what the tool answered; of agents, behaviours and flows their output, with the status they ended with
 * @throws {HTTPError} 502 it failed, or was declined
 */
export async function callStep(step: PlannedStep, values: StepValues, work: FlowWork): Promise<RunEnd<Json>> {
  const result = await call(step, toArguments(step, values), work);
  if (result.ok) return toEnd(step, result.value);
  const { status, message, code = stepFailed } = result;
  throw new HTTPError(502, toolFailure(step.tool, status, cutError(message)), { code });
}

/** An upstream may fail with a whole page: its caller is told the beginning. */
export function cutError(message: string): string {
  return cutText(message, 2_000);
}

/** The code of a run whose step failed without one of its own. */
const stepFailed = 'step_failed';

function call({ tool }: PlannedStep, values: Members, { scope, context }: FlowWork): Promise<ToolResult> {
  const route = context.table.tool(tool);
  if (route)
    return callTool(context.dispatcher, {
      ...{ route, arguments: values, via: 'flow', requestId: context.requestId, scope },
    });
  // What it answered before it went stands in the journal; now there is nothing to call.
  const gone: ToolResult = {
    ok: false,
    status: 404,
    message: 'there is no such tool any more',
    code: 'tool_gone',
  };
  return scope.op<ToolResult>({ kind: 'call', name: tool, input: values, repeat: 'safe' }, async () => ({
    value: gone,
  }));
}

/** What a step gives its tool: its mapping, else what reached it (decision 7.3). */
function toArguments({ input: mapping, engine }: PlannedStep, values: StepValues): Members {
  const { incoming } = values;
  if (mapping) {
    const mapped = resolveMapping(mapping, values);
    return engine === 'agent' ? asTold(mapped) : copy(mapped);
  }
  if (engine === 'agent') return { input: toText(incoming) };
  return copy(isMembers(incoming) ? incoming : { input: incoming });
}

/** An agent reads a text. Nothing is no text: it is refused, since the path to it led nowhere. */
function asTold({ input, ...more }: Members): Members {
  return { ...more, input: input === undefined || input === null ? null : toText(input) };
}

/** What a handler does to its arguments is no other step's business. */
function copy(values: Members): Members {
  return JSON.parse(JSON.stringify(values)) as Members;
}

/** What a flow is answered by a run that it started (decision 6.6). */
type InsideAnswer = { readonly status: RunEnd<Json>['status']; readonly output: Json };

/** Only runs end in other ways than completed, and only their answer is wrapped. */
function toEnd({ engine }: PlannedStep, value: Json): RunEnd<Json> {
  // A plan that was stored by an older release names any engine.
  if (engine !== 'agent' && engine !== 'behaviour' && engine !== 'flow')
    return { status: 'completed', value };
  const { status, output } = value as InsideAnswer;
  return { status, value: output };
}
