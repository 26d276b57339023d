import type { ProviderKind } from '../provider.ts';

/** Something that a request does without, because the model's server refuses it. */
export type Adaptation =
  | 'no_cache_marks'
  | 'no_opaque'
  | 'no_response_format'
  | 'no_stream_usage'
  | 'no_temperature'
  | 'no_tool_choice_object'
  | 'no_tool_images'
  | 'other_max_tokens';

/** The fields that the refusal of each names, and the format that has them. */
const fields: readonly (readonly [RegExp, Adaptation, ProviderKind | 'any'])[] = [
  [/tool_choice/, 'no_tool_choice_object', 'openai'],
  [/max_(completion_)?tokens/, 'other_max_tokens', 'openai'],
  [/stream_options/, 'no_stream_usage', 'openai'],
  [/response_format|json_schema|output_config|output_format/, 'no_response_format', 'any'],
  [/temperature/, 'no_temperature', 'any'],
  [/cache_control/, 'no_cache_marks', 'anthropic'],
  [/images? in tool results?|tool_result.*image/i, 'no_tool_images', 'anthropic'],
  [/reasoning_(content|details)|additional propert/i, 'no_opaque', 'openai'],
];

/** How servers say that they do not take something, in place of having something against its value. */
const refused =
  /unsupported|supported string values|not support|unknown|unrecognized|unexpected|unavailable|extra|not permitted|not allowed|additional propert/i;

/** What to do without, judging by the words of a refusal; undefined when nothing of it is known, or all is `given` already. */
export function adaptationFor(
  message: string,
  kind: ProviderKind,
  given: ReadonlySet<Adaptation>,
): Adaptation | undefined {
  if (!refused.test(message)) return undefined;
  return fields.find(
    ([field, adaptation, of]) =>
      (of === 'any' || of === kind) && !given.has(adaptation) && field.test(message),
  )?.[1];
}

/**
 * Tells whether a refusal holds for the model, not just for this request, such as for a schema that it cannot follow.
 */
export function isLasting(message: string): boolean {
  return !/invalid schema/i.test(message);
}
