import { HTTPError, type Json, type ToolResult } from '@waymark/contract';
import { narrow } from '@waymark/contract/principal';
import { handoffPrefix } from '../agent/handoff-tool.ts';
import type { Actor } from './actor.ts';
import type { ModelToolCall } from './model-tool-call.ts';
import { isArguments, notExecutedCode, notExecutedText, refuseCall } from './refused-call.ts';
import type { RunWork } from './run-work.ts';

/** What is recorded of a handoff. */
type HandoffStep = {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
  /** What the new agent is told: as they were then. */
  readonly contexts: readonly string[];
};

/** What became of a call that hands over. */
export interface HandoffOutcome {
  readonly result: ToolResult;
  /** Who goes on, and which contexts it is told; undefined where nobody was handed anything. */
  readonly next?: { readonly actor: Actor; readonly contexts: readonly string[] };
}

/** Whether a call means to hand over. */
export function isHandoff({ name }: ModelToolCall): boolean {
  return name.startsWith(handoffPrefix);
}

/**
 * Hands a run over to another agent: from now on prompt, tools and contexts are its own, and the run may do what both
 * may do (decision 6.6). Whether it did is read from the rows where there are any.
 *
 * @param standing what keeps it from happening: an earlier handoff of the turn, an earlier call that was declined
 */
export async function handOver(
  call: ModelToolCall,
  actor: Actor,
  work: RunWork,
  standing: { readonly taken: boolean; readonly declined: boolean },
): Promise<HandoffOutcome> {
  const { scope, parts } = work;
  const recorded = scope.peek();
  const refusal = refusalOf(call, actor, work, standing);
  // A run goes on as it went, whatever the agent may do today.
  const happens = recorded === undefined ? refusal === undefined : recorded === 'handoff';
  if (!happens) {
    const { message, code } = refusal ?? { message: `the handoff was refused`, code: undefined };
    return { result: await refuseCall(scope, call, message, code) };
  }
  const to = call.name.slice(handoffPrefix.length);
  const from = actor.settings.name;
  const reason = reasonOf(call.arguments);
  const contexts = parts.agents.get(to)?.context ?? [];
  const step = await scope.op<HandoffStep>(
    { kind: 'handoff', name: to, input: { reason }, repeat: 'safe' },
    async () => ({ value: { from, to, reason, contexts } }),
  );
  const settings = parts.agents.get(step.to);
  if (!settings)
    throw new HTTPError(500, `there is no agent "${step.to}" any more`, { code: 'declaration_gone' });
  if (recorded === undefined) parts.emit({ kind: 'handoff', run_id: scope.runId, from, to, reason });
  const principal = narrow(actor.principal, `agent:${step.to}`, settings.scopes);
  return {
    result: { ok: true, status: 200, value: `the conversation is with ${step.to} now` },
    next: { actor: { settings, principal }, contexts: step.contexts },
  };
}

interface Refusal {
  readonly message: string;
  readonly code: string | undefined;
}

function refusalOf(
  call: ModelToolCall,
  { settings }: Actor,
  { parts }: RunWork,
  { taken, declined }: { readonly taken: boolean; readonly declined: boolean },
): Refusal | undefined {
  const to = call.name.slice(handoffPrefix.length);
  if (!settings.handoffs.includes(to) || !parts.agents.has(to))
    return { message: `"${call.name}" is not a tool of agent "${settings.name}"`, code: undefined };
  if (!isArguments(call.arguments) || reasonOf(call.arguments) === '')
    return { message: `the arguments of "${call.name}" are not { reason }`, code: undefined };
  if (taken) return { message: 'only one handoff is made in a turn', code: undefined };
  return declined ? { message: notExecutedText, code: notExecutedCode } : undefined;
}

function reasonOf(values: Json): string {
  const reason = isArguments(values) ? values['reason'] : undefined;
  return typeof reason === 'string' ? reason : '';
}
