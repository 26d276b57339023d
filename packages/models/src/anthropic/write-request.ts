import type { ModelRequest, ModelTool } from '@waymark/contract/models';
import type { JsonObject } from '../json.ts';
import { sortTools, toConversation } from '../wire/turns.ts';
import type { WireRequest } from '../wire/wire-format.ts';
import { markForCache } from './cache-marks.ts';
import { closeSchema } from './close-schema.ts';
import { writeTurn } from './write-turn.ts';

/** Versions from this one on refuse `temperature`. */
const firstWithoutTemperature = '2026-10-21';

/** Whether a provider takes `temperature` by its version header. */
export function takesTemperature(version: string | undefined): boolean {
  return version === undefined || version < firstWithoutTemperature;
}

/** Writes a request for Messages. */
export function writeRequest({ request, provider, model, stream, adaptations }: WireRequest): JsonObject {
  const { messages, tools = [], maxTokens, temperature, toolChoice, schema } = request;
  const { system, turns } = toConversation(messages, provider.name);
  const withTemperature =
    temperature !== undefined &&
    takesTemperature(provider.anthropicVersion) &&
    !adaptations.has('no_temperature');
  const prompt = {
    tools: sortTools(tools).map(writeTool),
    system: system.map((text): JsonObject => ({ type: 'text', text })),
    messages: turns.map((turn, i) => writeTurn(turn, { adaptations, last: i === turns.length - 1 })),
  };
  const marked = request.cache === false || adaptations.has('no_cache_marks') ? prompt : markForCache(prompt);
  const closed = schema && !adaptations.has('no_response_format') ? closeSchema(schema) : undefined;
  return {
    model,
    max_tokens: maxTokens,
    ...(marked.tools.length > 0 && { tools: marked.tools }),
    ...(marked.tools.length > 0 && toolChoice !== undefined && { tool_choice: writeChoice(toolChoice) }),
    ...(marked.system.length > 0 && { system: marked.system }),
    messages: marked.messages,
    ...(withTemperature && { temperature }),
    ...(closed && { output_config: { format: { type: 'json_schema', schema: closed } } }),
    ...(stream && { stream }),
  };
}

function writeTool({ name, description, inputSchema }: ModelTool): JsonObject {
  return { name, description, input_schema: inputSchema as JsonObject };
}

function writeChoice(choice: NonNullable<ModelRequest['toolChoice']>): JsonObject {
  if (typeof choice === 'object') return { type: 'tool', name: choice.tool };
  return { type: choice === 'required' ? 'any' : choice };
}
