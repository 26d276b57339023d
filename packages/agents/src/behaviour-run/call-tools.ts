import { callTool, type Json, type Route, type Values } from '@waymark/contract';
import { isOptions, nearest } from '@waymark/contract/declaring';
import { refuseCall } from '../run/refused-call.ts';
import type { BehaviourWork } from './behaviour-work.ts';
import { requireName } from './check-asked.ts';
import { ToolError } from './tool-error.ts';

/** What a function wants called. */
export interface BehaviourCall {
  /** What the trace calls it. `run` takes agents, behaviours and flows alone. */
  readonly as: 'call' | 'run';
  readonly tool: string;
  readonly args: unknown;
  /** It is executed when this settles; a human is asked before. */
  readonly after?: Promise<unknown>;
}

/**
 * Calls a declared tool in one journaled step. One that is not declared is refused in a step, too: a declaration that
 * changed while the run waited changes nothing of what it was given.
 *
 * @throws {ToolError}
 * @throws {TypeError} no name, or arguments that are no object
 */
export function callDeclared(call: BehaviourCall, work: BehaviourWork): Promise<Json> {
  const { guard, trace } = work;
  return guard.begin(() => {
    requireName('tool', call.tool);
    return trace.note(call.as, call.tool, makeCall(call, work));
  });
}

async function makeCall(
  { as, tool, args, after }: BehaviourCall,
  { context, scope, settings }: BehaviourWork,
): Promise<Json> {
  const values = toArguments(tool, args);
  const route = settings.tools.includes(tool) ? context.table.tool(tool) : undefined;
  const refusal = route ? refusalOf(route, as) : notDeclared('tool', tool, settings.tools, settings.name);
  const result =
    route && refusal === undefined
      ? await callTool(context.dispatcher, {
          ...{ route, arguments: values, via: 'behaviour', requestId: context.requestId, scope },
          ...(after && { after }),
        })
      : await refuseCall(scope, { name: tool, arguments: values as Json }, refusal ?? '');
  if (!result.ok) throw new ToolError(tool, result);
  return result.value;
}

/** A copy: what is done to the object after the call does not count. @throws {TypeError} it is no JSON object */
function toArguments(tool: string, args: unknown): Values {
  const copy: unknown = JSON.parse(JSON.stringify(args ?? {}) ?? 'null');
  if (!isOptions(copy)) throw new TypeError(`the arguments of "${tool}" are not an object`);
  return copy as Values;
}

function refusalOf({ name, facts }: Route, as: BehaviourCall['as']): string | undefined {
  if (as === 'call' || facts.startsRun !== undefined) return undefined;
  return `"${name}" is no agent, behaviour or flow: call it`;
}

/** Says what a name is not, and which one was probably meant. */
export function notDeclared(
  what: 'tool' | 'context',
  name: string,
  declared: readonly string[],
  behaviour: string,
): string {
  const close = nearest(name, declared);
  const hint = close === undefined ? '' : ` (did you mean "${close}"?)`;
  return `"${name}" is not a ${what} of behaviour "${behaviour}"${hint}`;
}
