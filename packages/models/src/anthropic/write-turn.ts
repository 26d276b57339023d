import type { Part } from '@waymark/contract/models';
import { isObject, type JsonObject } from '../json.ts';
import type { Adaptation } from '../wire/adaptations.ts';
import { hasText, resultImages, type Turn } from '../wire/turns.ts';

/** A message of Messages. */
export interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly JsonObject[];
}

/** What has to be known of the place of a turn. */
export interface TurnPlace {
  readonly adaptations: ReadonlySet<Adaptation>;
  /** Whether nothing follows it. */
  readonly last: boolean;
}

/** Writes one turn; the results of tools stand first, as the format wants it. */
export function writeTurn({ role, parts }: Turn, { adaptations, last }: TurnPlace): WireMessage & JsonObject {
  const apart = adaptations.has('no_tool_images');
  const results = parts.filter((part) => part.type === 'tool_result');
  const others = parts.filter((part) => part.type !== 'tool_result');
  const content = [
    ...results.map((part) => writeResult(part, !apart)),
    ...(apart ? results.flatMap((part) => resultImages(part.parts)) : []).map(writePart),
    ...others.map(writePart),
  ];
  return { role, content: last && role === 'assistant' ? trimEnd(content) : content };
}

function writePart(part: Exclude<Part, { readonly type: 'tool_result' }>): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } };
    case 'tool_call':
      return { type: 'tool_use', id: part.id, name: part.name, input: toInput(part.arguments) };
    case 'opaque':
      // It came from this provider as a block.
      return part.value as JsonObject;
  }
}

/** The format takes objects only; what a model wrote instead of one is shown to it as it was. */
function toInput(values: unknown): JsonObject {
  return isObject(values)
    ? values
    : { malformed: typeof values === 'string' ? values : JSON.stringify(values) };
}

function writeResult(
  { id, parts, isError }: Extract<Part, { readonly type: 'tool_result' }>,
  withImages: boolean,
): JsonObject {
  const content = parts.flatMap((part) => {
    if (part.type === 'text') return hasText(part) ? [writePart(part)] : [];
    return part.type === 'image' && withImages ? [writePart(part)] : [];
  });
  return {
    type: 'tool_result',
    tool_use_id: id,
    ...(content.length > 0 && { content }),
    ...(isError && { is_error: true }),
  };
}

/** Trims the end of the last text: a message for the model to continue must not end in a space. */
function trimEnd(content: readonly JsonObject[]): readonly JsonObject[] {
  const last = content.at(-1);
  if (last?.['type'] !== 'text' || typeof last['text'] !== 'string') return content;
  const text = last['text'].trimEnd();
  return [...content.slice(0, -1), ...(text === '' ? [] : [{ ...last, text }])];
}
