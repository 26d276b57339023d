import { HTTPError, type Json, type ToolResult } from '@waymark/contract';
import type { RunScope } from '@waymark/contract/runs';
import type { ModelToolCall } from './model-tool-call.ts';

/** The code of calls that were not made: unknown tools, tools of others, arguments that are none. */
export const refusedCode = 'tool_refused';

/** The code of calls that were not made because an earlier one was declined. */
export const notExecutedCode = 'not_executed';

/** Journals a call that is not made: it never reaches a tool, and the model is told why. */
export function refuseCall(
  scope: RunScope,
  { name, arguments: values }: Pick<ModelToolCall, 'name' | 'arguments'>,
  message: string,
  code = refusedCode,
): Promise<ToolResult> {
  const refused: ToolResult = { ok: false, status: 403, message, code };
  return scope.op<ToolResult>({ kind: 'call', name, input: values, repeat: 'safe' }, async () => ({
    value: refused,
  }));
}

/** What a call that waits for an earlier one is ended with. */
export function notExecuted(): HTTPError {
  return new HTTPError(409, notExecutedText, { code: notExecutedCode });
}

/** Worded by the design of runs; a turn `[refund, email "refunded"]` must not send the mail after a no. */
export const notExecutedText = 'not executed: an earlier call of this turn was declined';

/** Whether a call was put before a human, who did not approve it. */
export function isDeclined(result: ToolResult): boolean {
  return !result.ok && (result.code === 'declined' || result.code === 'expired');
}

/** Arguments of a tool: an object. What a model wrote instead is a text or a list. */
export function isArguments(values: Json): values is { readonly [name: string]: Json | undefined } {
  return typeof values === 'object' && values !== null && !Array.isArray(values);
}
