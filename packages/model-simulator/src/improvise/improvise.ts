import { callReply, type Reply, sayReply } from '../reply/reply.ts';
import type { Conversation, OfferedTool, SeenResult, Turn } from '../request/conversation.ts';
import { withoutDirectives } from '../script/read-script.ts';
import { chooseTool } from './choose-tool.ts';
import { Hints } from './hints.ts';
import { instanceOf } from './instance-of.ts';

/** What the model says of itself, so that nobody takes it for a real one. */
const notice = 'I am a scripted model, no real one was asked.';

const maxQuote = 2000;

/** Whether and how calls may be made; a forced one is always obeyed. */
export interface Freedom {
  readonly mayCall: boolean;
  /** The tool that has to be called. */
  readonly forced: OfferedTool | undefined;
  /** Whether the answer keeps to the schema that was asked for. */
  readonly keepsSchema: boolean;
}

/**
 * What the model says when no script tells it: it calls the tool that the user's words suggest, tells what that
 * answered, or gives an instance of the schema asked for.
 */
export function improvise(conversation: Conversation, freedom: Freedom): Reply {
  const { turns, tools } = conversation;
  const text = newestText(turns);
  if (freedom.forced) return callReply([callOf(freedom.forced, text)]);
  const results = newestResults(turns);
  const handedOver = results.length > 0 && results.every(({ name }) => isHandoff(name));
  if (freedom.mayCall && (results.length === 0 || handedOver)) {
    const candidates = handedOver ? tools.filter(({ name }) => !isHandoff(name)) : tools;
    const tool = chooseTool(candidates, text);
    if (tool) return callReply([callOf(tool, text)]);
  }
  if (conversation.schema && freedom.keepsSchema) {
    return sayReply(JSON.stringify(instanceOf(conversation.schema, new Hints(text))));
  }
  if (results.length > 0 && !handedOver) return sayReply(`${results.map(tellResult).join('\n')}\n${notice}`);
  return sayReply(tellOneself(conversation, text));
}

/** The arguments of a call that the model makes up from a text. */
export function callOf(tool: OfferedTool, text: string) {
  const values = instanceOf({ type: 'object', ...tool.schema }, new Hints(text));
  return { name: tool.name, arguments: values as Record<string, unknown> };
}

/** What the user said last, without directives. */
export function newestText(turns: readonly Turn[]): string {
  const turn = turns.findLast((one) => one.role === 'user' && withoutDirectives(one.text) !== '');
  return turn?.role === 'user' ? withoutDirectives(turn.text) : '';
}

/** The results that came after the model's last turn; text beside them changes nothing. */
function newestResults(turns: readonly Turn[]): readonly SeenResult[] {
  const from = turns.findLastIndex(({ role }) => role === 'assistant');
  return turns.slice(from + 1).flatMap((turn) => (turn.role === 'tool' ? turn.results : []));
}

function isHandoff(name: string): boolean {
  return name.startsWith('transfer_to_');
}

function tellResult({ name, text, isError, images }: SeenResult): string {
  const seen = images.length > 0 ? ` and ${images.length} image${images.length > 1 ? 's' : ''}` : '';
  return `${name} ${isError ? 'failed' : 'answered'}: ${quoted(text)}${seen}`;
}

function tellOneself({ tools, turns }: Conversation, text: string): string {
  const newest = turns.at(-1);
  const images = newest?.role === 'user' ? newest.images.length : 0;
  const sentences = [
    notice,
    text === '' ? '' : `You said: ${quoted(text)}`,
    images > 0 ? `I see ${images} image${images > 1 ? 's' : ''}.` : '',
    tools.length > 0 ? `I can call ${tools.map(({ name }) => name).join(', ')}.` : '',
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

function quoted(text: string): string {
  const characters = Array.from(text.slice(0, 2 * maxQuote));
  return characters.length > maxQuote ? `${characters.slice(0, maxQuote).join('')}…` : text;
}
