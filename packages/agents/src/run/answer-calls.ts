import type { ToolResult } from '@waymark/contract';
import type { Message, Part } from '@waymark/contract/models';
import { holds } from '@waymark/contract/principal';
import type { Actor } from './actor.ts';
import { type HandoffOutcome, handOver, isHandoff } from './handoff.ts';
import type { ModelToolCall } from './model-tool-call.ts';
import { toResultPart } from './result-part.ts';
import type { RunWork } from './run-work.ts';
import { type CalledTool, callTurn } from './turn-calls.ts';

/** Letters of the model's own words that a human is shown beside a call. */
const maxReason = 1_000;

/** What the calls of one turn came to. */
export interface AnsweredTurn {
  /** A result for every call, in the order of the calls. */
  readonly message: Message;
  readonly next: HandoffOutcome['next'];
}

/** Makes the calls of one turn. A handoff comes after all others, whatever its place: they are the old agent's. */
export async function answerCalls(said: Message, actor: Actor, work: RunWork): Promise<AnsweredTurn> {
  const calls = said.parts.filter((part) => part.type === 'tool_call');
  const reason = said.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const plain = calls.filter((call) => !isHandoff(call));
  const called = callTurn(plain, actor, work, reason.slice(0, maxReason));
  const answers = new Map<ModelToolCall, Part>();
  for (const one of called) answers.set(one.call, await toAnswer(one, actor, work));
  let next: HandoffOutcome['next'];
  for (const call of calls.filter(isHandoff)) {
    const declined = await declinedBefore(call, calls, called);
    const outcome = await handOver(call, actor, work, { taken: next !== undefined, declined });
    answers.set(call, toResultPart(call, outcome.result, work.entry.toolResultLimit));
    next ??= outcome.next;
  }
  return { message: { role: 'user', parts: calls.flatMap((call) => answers.get(call) ?? []) }, next };
}

async function toAnswer({ call, route, result }: CalledTool, actor: Actor, work: RunWork): Promise<Part> {
  const one = await result;
  const hint = route && lacksScopes(one) && !holds(actor.principal, route.scopes) ? hintOf(actor) : '';
  return toResultPart(call, one, work.entry.toolResultLimit, hint);
}

function lacksScopes(result: ToolResult): boolean {
  return !result.ok && (result.status === 401 || result.status === 403) && result.code === undefined;
}

/** Nothing that the model could do about it, but something to tell its user. */
function hintOf({ principal }: Actor): string {
  const { scopes } = principal;
  const has = scopes.length === 0 ? 'no scopes at all' : `the scopes ${scopes.join(', ')}`;
  return `; this run has ${has}: those that its agent and its caller share`;
}

async function declinedBefore(
  call: ModelToolCall,
  calls: readonly ModelToolCall[],
  called: readonly CalledTool[],
): Promise<boolean> {
  const place = calls.indexOf(call);
  const last = called.findLast((one) => calls.indexOf(one.call) < place);
  return (await last?.declined) ?? false;
}
