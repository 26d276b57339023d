import { isObject, type JsonObject, numberOf, objectsOf, textOf } from '../json.ts';
import type { Conversation, ToolChoice, Turn } from '../request/conversation.ts';
import { blocksOf, contentImages, contentText } from './content.ts';

/** Reads the body of a Messages request, as far as it can be read. */
export function readConversation(body: JsonObject): Conversation {
  const messages = objectsOf(body['messages']);
  const system = [
    body['system'],
    ...messages.filter(({ role }) => role === 'system').map((one) => one['content']),
  ];
  const choice = isObject(body['tool_choice']) ? body['tool_choice'] : {};
  return {
    format: 'anthropic',
    model: textOf(body['model']),
    system: system.map(contentText).join('\n\n').trim(),
    turns: toTurns(messages),
    tools: objectsOf(body['tools']).map(({ name, description, input_schema: schema }) => ({
      name: textOf(name),
      description: textOf(description),
      schema: isObject(schema) ? schema : {},
    })),
    toolChoice: toToolChoice(choice),
    parallelCalls: choice['disable_parallel_tool_use'] !== true,
    schema: toSchema(body['output_config']),
    maxTokens: numberOf(body['max_tokens']),
    stopSequences: Array.isArray(body['stop_sequences'])
      ? body['stop_sequences'].filter((stop): stop is string => typeof stop === 'string' && stop !== '')
      : [],
    stream: body['stream'] === true,
    body,
  };
}

/** A user's message with results is two turns: the results, and what else it has. */
function toTurns(messages: readonly JsonObject[]): Turn[] {
  const turns: Turn[] = [];
  const names = new Map<string, string>();
  for (const { role, content } of messages) {
    const blocks = blocksOf(content);
    if (role === 'assistant') {
      const calls = blocks.filter(isCall).map(({ id, name, input }) => ({
        id: textOf(id),
        name: textOf(name),
        arguments: isObject(input) ? input : {},
      }));
      for (const { id, name } of calls) names.set(id, name);
      turns.push({ role, text: contentText(content), calls });
    }
    if (role === 'user') {
      const results = blocks
        .filter(({ type }) => type === 'tool_result')
        .map((block) => toResult(block, names));
      const text = contentText(content);
      const images = contentImages(content);
      if (results.length > 0) turns.push({ role: 'tool', results });
      if (results.length === 0 || text !== '' || images.length > 0) turns.push({ role, text, images });
    }
  }
  return turns;
}

function toResult(block: JsonObject, names: ReadonlyMap<string, string>) {
  const id = textOf(block['tool_use_id']);
  return {
    id,
    name: names.get(id) ?? '',
    text: contentText(block['content']),
    images: contentImages(block['content']),
    isError: block['is_error'] === true,
  };
}

function isCall({ type }: JsonObject): boolean {
  return type === 'tool_use';
}

function toToolChoice({ type, name }: JsonObject): ToolChoice {
  if (type === 'tool') return { kind: 'tool', name: textOf(name) };
  return { kind: type === 'any' || type === 'none' ? type : 'auto' };
}

function toSchema(config: unknown): JsonObject | undefined {
  const format = isObject(config) ? config['format'] : undefined;
  const schema = isObject(format) && format['type'] === 'json_schema' ? format['schema'] : undefined;
  return isObject(schema) ? schema : undefined;
}
