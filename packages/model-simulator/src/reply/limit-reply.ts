import type { Conversation, ToolCall } from '../request/conversation.ts';
import { countTokens } from './prompt.ts';
import type { Reply } from './reply.ts';

/** Tokens of a whole reply, thinking included; never fewer than 1. */
export function countReply({ text, calls, thinking, refusal }: Reply): number {
  const called = calls.reduce((sum, call) => sum + countCall(call), 0);
  return Math.max(1, countTokens(text) + called + countTokens(thinking ?? '') + countTokens(refusal ?? ''));
}

/** Ends a reply where the client wanted: before one of its stop sequences, or with its last token. */
export function limitReply(reply: Reply, conversation: Conversation): Reply {
  const stopped = stopAtSequence(reply, conversation.stopSequences);
  const { maxTokens } = conversation;
  if (maxTokens === undefined || countReply(stopped) <= maxTokens) return stopped;
  let left = Math.max(0, maxTokens - countTokens(stopped.thinking ?? ''));
  const text = cutText(stopped.text, left * 4);
  left -= countTokens(text);
  const calls: ToolCall[] = [];
  for (const call of stopped.calls) {
    left -= countCall(call);
    if (left < 0) break;
    calls.push(call);
  }
  return { ...stopped, text, calls, stop: 'length' };
}

function stopAtSequence(reply: Reply, sequences: readonly string[]): Reply {
  const found = sequences
    .map((sequence) => ({ sequence, at: reply.text.indexOf(sequence) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at)[0];
  if (!found) return reply;
  const text = reply.text.slice(0, found.at);
  return { ...reply, text, calls: [], stop: 'stop_sequence', stopSequence: found.sequence };
}

function countCall({ name, arguments: values }: ToolCall): number {
  return countTokens(name) + countTokens(typeof values === 'string' ? values : JSON.stringify(values));
}

/** The longest beginning of a text that has at most so many UTF-8 bytes and no half of a character. */
function cutText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
