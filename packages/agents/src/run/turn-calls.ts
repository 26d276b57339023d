import { callTool, type Route, type ToolResult } from '@waymark/contract';
import { type Actor, toolRoutes } from './actor.ts';
import type { ModelToolCall } from './model-tool-call.ts';
import { isArguments, isDeclined, notExecuted, refuseCall } from './refused-call.ts';
import type { RunWork } from './run-work.ts';

/** What became of one call of a turn. */
export interface CalledTool {
  readonly call: ModelToolCall;
  /** Undefined where nothing was called. */
  readonly route: Route | undefined;
  readonly result: Promise<ToolResult>;
  /** Whether a call up to this one was declined; settles when all of them are done. */
  readonly declined: Promise<boolean>;
}

/**
 * Makes the calls of one turn (runs.md, 7). They are all begun at once, so that what is wrong with one is said without
 * asking anybody, and humans are asked about the gated ones together. Where one is not read-only, each is executed after
 * those before it; after a no only those that read are.
 *
 * @param reason what the model said beside its calls, for the human who decides
 */
export function callTurn(
  calls: readonly ModelToolCall[],
  actor: Actor,
  work: RunWork,
  reason: string,
): readonly CalledTool[] {
  const routes = toolRoutes(actor.settings, work.context.table);
  const inOrder = calls.some(({ name }) => routes.get(name)?.readOnly === false);
  let declined = Promise.resolve(false);
  return calls.map((call, i) => {
    const route = routes.get(call.name);
    const after = inOrder && i > 0 ? mayBegin(declined, route?.readOnly ?? false) : undefined;
    const result = callOne(call, route, actor, work, { reason, after });
    const before = declined;
    declined = Promise.all([before, result]).then(([no, one]) => no || isDeclined(one));
    // Whoever asks hears of a failure from the result itself.
    declined.catch(() => {});
    return { call, route, result, declined };
  });
}

function callOne(
  call: ModelToolCall,
  route: Route | undefined,
  { principal, settings }: Actor,
  { scope, context }: RunWork,
  { reason, after }: { readonly reason: string; readonly after: Promise<unknown> | undefined },
): Promise<ToolResult> {
  const { name, arguments: values } = call;
  if (!route) return refuseCall(scope, call, `"${name}" is not a tool of agent "${settings.name}"`);
  if (!isArguments(values)) return refuseCall(scope, call, `the arguments of "${name}" are not an object`);
  return callTool(context.dispatcher, {
    ...{ route, arguments: values, via: 'agent', requestId: context.requestId, scope, principal },
    reader: 'model',
    ...(reason !== '' && { reason }),
    ...(after && { after }),
  });
}

/** Rejects when the call must not be executed any more. */
function mayBegin(declined: Promise<boolean>, readOnly: boolean): Promise<void> {
  const begin = declined.then((no) => {
    if (no && !readOnly) throw notExecuted();
  });
  // The call may have ended before anybody waits for its turn.
  begin.catch(() => {});
  return begin;
}
