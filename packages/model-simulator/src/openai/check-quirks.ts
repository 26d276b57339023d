import { isObject, type JsonObject, objectsOf } from '../json.ts';
import type { Quirk } from '../quirks.ts';
import { Refusal } from '../reply/refusal.ts';
import { refuse } from './refuse.ts';

/** All that the servers with `refuse_unknown_fields` know. */
const commonFields = new Set(
  'model messages tools tool_choice response_format max_tokens max_completion_tokens temperature top_p stop stream stream_options seed user'.split(
    ' ',
  ),
);

/** Refuses what some compatible servers refuse. @throws {Refusal} */
export function checkQuirks(body: JsonObject, quirks: ReadonlySet<Quirk>): void {
  if (quirks.size === 0) return;
  if (quirks.has('refuse_unknown_fields')) checkFields(body);
  if (quirks.has('refuse_tool_choice_object') && isObject(body['tool_choice'])) {
    throw refuse(
      "Invalid tool_choice type: 'object'. Supported string values: none, auto, required",
      'tool_choice',
    );
  }
  refuseField(body, 'max_completion_tokens', quirks.has('refuse_max_completion_tokens'));
  refuseField(body, 'max_tokens', quirks.has('refuse_max_tokens'));
  refuseField(body, 'temperature', quirks.has('refuse_temperature'));
  refuseField(body, 'response_format', quirks.has('refuse_response_format'));
}

function refuseField(body: JsonObject, field: string, refused: boolean): void {
  if (!refused || body[field] === undefined) return;
  throw refuse(
    `Unsupported parameter: '${field}' is not supported with this model.`,
    field,
    'unsupported_parameter',
  );
}

function checkFields(body: JsonObject): void {
  const strict = objectsOf(body['tools']).some(({ function: tool }) => isObject(tool) && 'strict' in tool);
  const extra = strict ? 'strict' : Object.keys(body).find((field) => !commonFields.has(field));
  if (extra === undefined) return;
  const message = `[{'type': 'extra_forbidden', 'loc': ('body', '${extra}'), 'msg': 'Extra inputs are not permitted'}]`;
  throw new Refusal({ status: 400, message, type: 'BadRequestError' });
}
