/**
 * Names of the ways in which compatible servers differ from the services they imitate; the README says what each does.
 *
 * Those about the body of requests and replies exist on Chat Completions only, unless their comment says `both`.
 */
export const quirkNames = [
  'accept_tool_images',
  'comments', // both
  'crlf', // both
  'duplicate_ids', // both
  'empty_content',
  'fenced_json', // both
  'finish_reason_stop', // both
  'ignore_response_format', // both
  'ignore_tool_choice', // both
  'index_zero',
  'missing_ids',
  'no_done',
  'no_index',
  'no_usage', // both
  'object_arguments',
  'refuse_image_urls', // both
  'refuse_max_completion_tokens',
  'refuse_max_tokens',
  'refuse_response_format', // both
  'refuse_temperature', // both
  'refuse_tool_choice_object',
  'refuse_tool_images', // both
  'refuse_unknown_fields', // both
  'split_bytes', // both
  'text_calls', // both
  'usage_with_finish',
  'whole_calls',
] as const;

/** Name of a quirk, one of `quirkNames`. */
export type Quirk = (typeof quirkNames)[number];

/** Whether a word is the name of a quirk. */
export function isQuirk(word: string): word is Quirk {
  return (quirkNames as readonly string[]).includes(word);
}
