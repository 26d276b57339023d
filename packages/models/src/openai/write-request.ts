import type { ModelRequest, ModelTool } from '@waymark/contract/models';
import type { JsonObject } from '../json.ts';
import { sortTools, toConversation } from '../wire/turns.ts';
import type { WireRequest } from '../wire/wire-format.ts';
import { writeTurn } from './write-turn.ts';

/** The service whose newer models refuse `max_tokens`, the only limit that most compatible servers know. */
const serviceHost = 'api.openai.com';

/** Writes a request for Chat Completions. Nothing that was not asked for is sent: some servers refuse what they do not know. */
export function writeRequest(wire: WireRequest): JsonObject {
  const { request, provider, model, stream, adaptations } = wire;
  const { messages, maxTokens, temperature, schema, toolChoice } = request;
  const { system, turns } = toConversation(messages, provider.name);
  const tools = offeredTools(wire);
  return {
    model,
    messages: [
      ...system.map((content): JsonObject => ({ role: 'system', content })),
      ...turns.flatMap((turn) => writeTurn(turn, !adaptations.has('no_opaque'))),
    ],
    ...(tools.length > 0 && { tools: tools.map(writeTool) }),
    ...(tools.length > 0 &&
      toolChoice !== undefined && {
        tool_choice: writeChoice(toolChoice, adaptations.has('no_tool_choice_object')),
      }),
    [limitField(wire)]: maxTokens,
    ...(temperature !== undefined && !adaptations.has('no_temperature') && { temperature }),
    ...(schema &&
      !adaptations.has('no_response_format') && {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'answer', schema: schema as JsonObject },
        },
      }),
    ...(stream && { stream }),
    ...(stream && !adaptations.has('no_stream_usage') && { stream_options: { include_usage: true } }),
  };
}

/** Where one tool must be called and cannot be named, it is the only one there is. */
function offeredTools({ request, adaptations }: WireRequest): readonly ModelTool[] {
  const { tools = [], toolChoice } = request;
  const sorted = sortTools(tools);
  if (typeof toolChoice !== 'object' || !adaptations.has('no_tool_choice_object')) return sorted;
  return sorted.filter(({ name }) => name === toolChoice.tool);
}

function writeTool({ name, description, inputSchema }: ModelTool): JsonObject {
  return { type: 'function', function: { name, description, parameters: inputSchema as JsonObject } };
}

function writeChoice(
  choice: NonNullable<ModelRequest['toolChoice']>,
  wordsOnly: boolean,
): JsonObject | string {
  if (typeof choice !== 'object') return choice;
  return wordsOnly ? 'required' : { type: 'function', function: { name: choice.tool } };
}

function limitField({ provider, adaptations }: WireRequest): 'max_tokens' | 'max_completion_tokens' {
  const { baseUrl } = provider;
  const isService = URL.canParse(baseUrl) && new URL(baseUrl).hostname === serviceHost;
  return isService === adaptations.has('other_max_tokens') ? 'max_tokens' : 'max_completion_tokens';
}
