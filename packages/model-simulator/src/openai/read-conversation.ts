import { isObject, type JsonObject, numberOf, objectsOf, textOf } from '../json.ts';
import type {
  Conversation,
  SeenImage,
  SeenResult,
  ToolCall,
  ToolChoice,
  Turn,
} from '../request/conversation.ts';

/** Reads the body of a Chat Completions request, as far as it can be read. */
export function readConversation(body: JsonObject): Conversation {
  const messages = objectsOf(body['messages']);
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer');
  return {
    format: 'openai',
    model: textOf(body['model']),
    system: system.map(({ content }) => contentText(content)).join('\n\n'),
    turns: toTurns(messages),
    tools: objectsOf(body['tools']).map(({ function: tool }) => {
      const { name, description, parameters } = isObject(tool) ? tool : {};
      return {
        name: textOf(name),
        description: textOf(description),
        schema: isObject(parameters) ? parameters : {},
      };
    }),
    toolChoice: toToolChoice(body['tool_choice']),
    parallelCalls: body['parallel_tool_calls'] !== false,
    schema: toSchema(body['response_format']),
    maxTokens: numberOf(body['max_completion_tokens']) ?? numberOf(body['max_tokens']),
    stopSequences: [body['stop']]
      .flat()
      .filter((stop) => typeof stop === 'string' && stop !== '') as string[],
    stream: body['stream'] === true,
    body,
  };
}

/** The text of a content: a string, or the text parts of a list. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsOf(content)
    .filter(({ type }) => type === 'text')
    .map(({ text }) => textOf(text))
    .join('\n');
}

function toTurns(messages: readonly JsonObject[]): Turn[] {
  const turns: Turn[] = [];
  const names = new Map<string, string>();
  for (const message of messages) {
    const { role, content } = message;
    if (role === 'user') turns.push({ role, text: contentText(content), images: imagesOf(content) });
    if (role === 'assistant') {
      const calls = objectsOf(message['tool_calls']).map(toCall);
      for (const { id, name } of calls) names.set(id, name);
      turns.push({ role, text: contentText(content), calls });
    }
    if (role === 'tool') {
      const id = textOf(message['tool_call_id']);
      const images = imagesOf(content);
      const result = { id, name: names.get(id) ?? '', text: contentText(content), images, isError: false };
      const last = turns.at(-1);
      if (last?.role === 'tool') turns[turns.length - 1] = { role, results: [...last.results, result] };
      else turns.push({ role, results: [result satisfies SeenResult] });
    }
  }
  return turns;
}

function toCall(call: JsonObject): ToolCall {
  const { name, arguments: written } = isObject(call['function']) ? call['function'] : {};
  return { id: textOf(call['id']), name: textOf(name), arguments: parsed(textOf(written)) };
}

function parsed(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : text;
  } catch {
    return text;
  }
}

function imagesOf(content: unknown): SeenImage[] {
  return objectsOf(content)
    .filter(({ type }) => type === 'image_url')
    .map(({ image_url: image }) => {
      const url = textOf(isObject(image) ? image['url'] : undefined);
      const inline = /^data:([^;,]+);base64,/.exec(url);
      return inline
        ? { mediaType: inline[1] ?? '', data: url.slice(inline[0].length) }
        : { mediaType: '', data: url };
    });
}

function toToolChoice(choice: unknown): ToolChoice {
  if (choice === 'none') return { kind: 'none' };
  if (choice === 'required') return { kind: 'any' };
  if (!isObject(choice) || !isObject(choice['function'])) return { kind: 'auto' };
  return { kind: 'tool', name: textOf(choice['function']['name']) };
}

function toSchema(format: unknown): JsonObject | undefined {
  if (!isObject(format)) return undefined;
  if (format['type'] === 'json_object') return { type: 'object' };
  if (format['type'] !== 'json_schema' || !isObject(format['json_schema'])) return undefined;
  const { schema } = format['json_schema'];
  return isObject(schema) ? schema : {};
}
