import { Failure } from '../output/failure.ts';
import { type Target, toRefusal } from './target.ts';

/** What a tool answered, whichever way it was called. */
export type Outcome =
  /** `text` is its JSON, where there is one: a value may say less, and one that is deep cannot be written again. */
  | { readonly ok: true; readonly value: unknown; readonly text?: string }
  | { readonly ok: false; readonly message: string };

/** One use of a tool. */
export interface ToolUse {
  readonly tool: string;
  readonly values: Readonly<Record<string, unknown>>;
}

interface Message {
  readonly result?: { readonly content?: readonly ContentItem[]; readonly isError?: boolean };
  readonly error?: { readonly message: string };
}

interface ContentItem {
  readonly type: string;
  readonly text?: string;
  readonly [member: string]: unknown;
}

/** Calls a tool over MCP. @throws {Failure} when MCP itself refuses */
export async function callOverMcp(target: Target, { tool, values }: ToolUse): Promise<Outcome> {
  const params = { name: tool, arguments: values };
  const response = await target.send(`${target.controlPrefix}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  if (!response.ok) throw new Failure(await toRefusal(response));
  const { result, error } = await readMessage(response);
  if (!result) throw new Failure(error?.message ?? 'the server gave no result');
  const items = (result.content ?? []).map(toItemValue);
  const [only] = items;
  const value = items.length === 1 ? only?.value : items.map((item) => item.value);
  if (result.isError === true) return { ok: false, message: String(value) };
  const text = items.length === 1 ? only?.text : `[${items.map((item) => item.text).join()}]`;
  return { ok: true, value, ...(text !== undefined && { text }) };
}

/** A tool that reports progress answers a stream of events; its response is the last of them. */
async function readMessage(response: Response): Promise<Message> {
  const text = await response.text();
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    return JSON.parse(text) as Message;
  const events = text.split(/\r?\n\r?\n/).map((event) =>
    event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice('data:'.length).trimStart())
      .join('\n'),
  );
  return JSON.parse(events.findLast((data) => data !== '') ?? '{}') as Message;
}

interface ItemValue {
  readonly value: unknown;
  /** Its JSON. */
  readonly text: string;
}

/** Text is the JSON of the tool's value, or the value itself where that was a text. */
function toItemValue(item: ContentItem): ItemValue {
  const { type, text } = item;
  if (type !== 'text' || text === undefined) return { value: item, text: JSON.stringify(item) };
  try {
    return { value: JSON.parse(text) as unknown, text };
  } catch {
    return { value: text, text: JSON.stringify(text) };
  }
}
