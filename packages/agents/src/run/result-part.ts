import type { ToolResult } from '@waymark/contract';
import type { Part } from '@waymark/contract/models';
import { toolFailure } from '@waymark/contract/tools';
import { cutBytes } from './cut-text.ts';
import type { ModelToolCall } from './model-tool-call.ts';
import { notExecutedCode, refusedCode } from './refused-call.ts';
import { toToolContent } from './tool-content.ts';

/** What a model is told of a call: the value, or why there is none, cut at `limit` bytes; pictures come on top. */
export function toResultPart(
  { id, name }: ModelToolCall,
  result: ToolResult,
  limit: number,
  hint = '',
): Part {
  if (!result.ok) {
    const text = cutBytes(toErrorText(name, result) + hint, limit);
    return { type: 'tool_result', id, parts: [{ type: 'text', text }], isError: true };
  }
  const { text, images } = toToolContent(result.value);
  const parts: readonly Part[] = [{ type: 'text', text: cutBytes(text, limit) }, ...images];
  return { type: 'tool_result', id, parts, isError: false };
}

function toErrorText(tool: string, result: Extract<ToolResult, { readonly ok: false }>): string {
  const { status, message, code } = result;
  if (code === refusedCode || code === notExecutedCode) return message;
  if (code === 'declined') return `a human declined this call: ${message}. Do not make it again.`;
  if (code === 'expired') return `nobody approved this call in time: ${message}. Do not make it again.`;
  return toolFailure(tool, status, message);
}
