import type { JsonObject } from '../json.ts';
import { refuse } from './refuse.ts';

const known = new Set(
  'messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens metadata modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options'.split(
    ' ',
  ),
);

/** Checks the parameters beside messages and tools. @throws {Refusal} */
export function checkParameters(body: JsonObject): void {
  const unknown = Object.keys(body).find((name) => !known.has(name));
  if (unknown !== undefined) throw refuse(`Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter');
  checkLimits(body);
  checkRange(body, 'temperature', 0, 2);
  checkRange(body, 'top_p', 0, 1);
  const { stop, stream, n } = body;
  const stops: readonly unknown[] = stop === undefined || stop === null ? [] : [stop].flat();
  if (stops.length > 4) throw refuse("Invalid 'stop': array too long. Expected 4 at most.", 'stop');
  if (!stops.every((one) => typeof one === 'string'))
    throw refuse("Invalid type for 'stop'.", 'stop', 'invalid_type');
  if (body['stream_options'] !== undefined && body['stream_options'] !== null && stream !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    throw refuse(message, 'stream_options');
  }
  if (n !== undefined && n !== 1)
    throw refuse('The simulator makes one choice: n is 1.', 'n', 'unsupported_value');
}

function checkLimits(body: JsonObject): void {
  const { model, max_tokens: old, max_completion_tokens: limit, temperature } = body;
  const reasons = /^(o\d|gpt-5)/.test(String(model));
  if (old !== undefined && old !== null && reasons) {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    throw refuse(message, 'max_tokens', 'unsupported_parameter');
  }
  if (typeof old === 'number' && typeof limit === 'number') {
    throw refuse(
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      'max_tokens',
    );
  }
  if (typeof temperature === 'number' && temperature !== 1 && reasons) {
    const message = `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`;
    throw refuse(message, 'temperature', 'unsupported_value');
  }
  for (const [name, value] of [['max_tokens', old] as const, ['max_completion_tokens', limit] as const]) {
    if (value === undefined || value === null) continue;
    if (!Number.isInteger(value))
      throw refuse(`Invalid type for '${name}': expected an integer.`, name, 'invalid_type');
    if (Number(value) < 1) {
      const message = `Invalid '${name}': integer below minimum value. Expected a value >= 1, but got ${String(value)} instead.`;
      throw refuse(message, name, 'integer_below_min_value');
    }
  }
}

function checkRange(body: JsonObject, name: string, least: number, most: number): void {
  const value = body[name];
  if (value === undefined || value === null) return;
  if (typeof value !== 'number')
    throw refuse(`Invalid type for '${name}': expected a decimal.`, name, 'invalid_type');
  if (value > most) {
    throw refuse(
      `Invalid '${name}': decimal above maximum value. Expected a value <= ${most}, but got ${value} instead.`,
      name,
      'decimal_above_max_value',
    );
  }
  if (value < least) {
    throw refuse(
      `Invalid '${name}': decimal below minimum value. Expected a value >= ${least}, but got ${value} instead.`,
      name,
      'decimal_below_min_value',
    );
  }
}
