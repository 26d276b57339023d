import { chooseTool } from '../improvise/choose-tool.ts';
import { callOf, improvise, newestText } from '../improvise/improvise.ts';
import { isObject } from '../json.ts';
import type { Quirk } from '../quirks.ts';
import { callReply, type Reply, sayReply } from '../reply/reply.ts';
import type { Conversation, OfferedTool } from '../request/conversation.ts';
import type { Part } from './directive.ts';
import { echo, tellImages } from './echo.ts';

/**
 * Makes the model's turn from the parts of a script, and improvises where they leave it open.
 *
 * The script decides over everything but tools: none is called when the request offers or allows none, a tool that must
 * be called is called, and there is one call at most when the client wants one.
 */
export function composeReply(
  conversation: Conversation,
  parts: readonly Part[],
  quirks: ReadonlySet<Quirk>,
): Reply {
  const { tools, toolChoice } = conversation;
  const choice = quirks.has('ignore_tool_choice') ? ({ kind: 'auto' } as const) : toolChoice;
  const mayCall = tools.length > 0 && choice.kind !== 'none';
  const scripted = parts.reduce((reply, part) => addPart(reply, part, conversation, mayCall), sayReply(''));
  const keepsSchema = !quirks.has('ignore_response_format');
  const forced = mayCall ? forcedTool(conversation, choice.kind, scripted) : undefined;
  if (isOpen(scripted)) {
    const { thinking, blocks } = scripted;
    const reply = { ...improvise(conversation, { mayCall, forced, keepsSchema }), thinking, blocks };
    const { stop } = scripted.stop === 'end' ? reply : scripted;
    return finish({ ...reply, stop }, conversation, quirks);
  }
  if (forced && !scripted.calls.some(({ name }) => name === forced.name)) {
    const json = parts.find((part) => part.kind === 'json')?.value;
    const call = isObject(json)
      ? { name: forced.name, arguments: json }
      : callOf(forced, newestText(conversation.turns));
    return finish({ ...scripted, ...callReply([call]), thinking: scripted.thinking }, conversation, quirks);
  }
  return finish(scripted, conversation, quirks);
}

/** Whether the script leaves it to the model what to say. */
function isOpen({ text, calls, stop }: Reply): boolean {
  return text === '' && calls.length === 0 && stop !== 'refusal';
}

function forcedTool(
  { tools, toolChoice, turns }: Conversation,
  kind: 'auto' | 'none' | 'any' | 'tool',
  scripted: Reply,
): OfferedTool | undefined {
  if (kind === 'tool' && toolChoice.kind === 'tool')
    return tools.find(({ name }) => name === toolChoice.name);
  if (kind !== 'any' || scripted.calls.length > 0) return undefined;
  return chooseTool(tools, newestText(turns)) ?? tools[0];
}

function addPart(reply: Reply, part: Part, conversation: Conversation, mayCall: boolean): Reply {
  const say = (text: string): Reply => ({ ...reply, text: reply.text + text });
  switch (part.kind) {
    case 'say':
      return say(part.text);
    case 'json':
      return say(JSON.stringify(part.value));
    case 'echo':
      return say(echo(conversation, part.of));
    case 'images':
      return say(tellImages(conversation));
    case 'size':
      return say('0123456789abcde\n'.repeat(Math.ceil(part.bytes / 16)).slice(0, part.bytes));
    case 'call':
      if (!mayCall) return reply;
      return { ...reply, calls: [...reply.calls, ...callReply(part.calls).calls], stop: 'calls' };
    case 'thinking':
      return { ...reply, thinking: (reply.thinking ?? '') + part.text };
    case 'block':
      return { ...reply, blocks: [...reply.blocks, part.value] };
    case 'refuse':
      return { ...reply, stop: 'refusal', refusal: part.text };
    case 'pause':
      return { ...say(part.text), stop: 'pause' };
    case 'stop':
      return { ...reply, stop: part.cause };
    case 'auto':
      return reply;
  }
}

function finish(reply: Reply, conversation: Conversation, quirks: ReadonlySet<Quirk>): Reply {
  const calls = conversation.parallelCalls ? reply.calls : reply.calls.slice(0, 1);
  if (quirks.has('text_calls') && calls.length > 0) {
    const written = calls.map(({ name, arguments: values }) => JSON.stringify({ name, arguments: values }));
    return { ...reply, text: reply.text + written.join('\n'), calls: [], stop: 'end' };
  }
  const isJson = conversation.schema !== undefined && calls.length === 0 && quirks.has('fenced_json');
  return { ...reply, calls, text: isJson ? `\`\`\`json\n${reply.text}\n\`\`\`` : reply.text };
}
