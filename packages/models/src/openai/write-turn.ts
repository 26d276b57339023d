import type { Part } from '@waymark/contract/models';
import { isObject, type JsonObject } from '../json.ts';
import { resultImages, resultText, type Turn } from '../wire/turns.ts';

/** Writes one turn as the messages that it is here. */
export function writeTurn({ role, parts }: Turn, withOpaque: boolean): readonly JsonObject[] {
  return role === 'user' ? writeUser(parts) : [writeAssistant(parts, withOpaque)];
}

/** Results first, each a message of its own; their images follow in a message of the user, the only one that may hold them. */
function writeUser(parts: readonly Part[]): readonly JsonObject[] {
  const results = parts.filter((part) => part.type === 'tool_result');
  const images = results.flatMap((result) => resultImages(result.parts));
  const moved: readonly Part[] =
    images.length === 0 ? [] : [{ type: 'text', text: 'The images of the results above:' }, ...images];
  const said = [...moved, ...parts].flatMap((part): readonly JsonObject[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    if (part.type !== 'image') return [];
    // Local servers refuse other URLs.
    return [{ type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } }];
  });
  return [
    ...results.map(
      ({ id, parts: content }): JsonObject => ({
        role: 'tool',
        tool_call_id: id,
        content: resultText(content) || (resultImages(content).length > 0 ? 'See the image below.' : ''),
      }),
    ),
    ...(said.length > 0 ? [{ role: 'user', content: toContent(said) }] : []),
  ];
}

/** Many servers know contents that are one text alone, so the parts of a text without images are joined. */
function toContent(said: readonly JsonObject[]): readonly JsonObject[] | string {
  return said.every(({ type }) => type === 'text') ? said.map(({ text }) => text).join('\n\n') : said;
}

function writeAssistant(parts: readonly Part[], withOpaque: boolean): JsonObject {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const calls = parts.flatMap((part): readonly JsonObject[] => {
    if (part.type !== 'tool_call') return [];
    const { id, name, arguments: values } = part;
    const written = typeof values === 'string' ? values : JSON.stringify(values);
    return [{ id, type: 'function', function: { name, arguments: written } }];
  });
  const opaque = parts.flatMap((part) =>
    part.type === 'opaque' && withOpaque && isObject(part.value) ? Object.entries(part.value) : [],
  );
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...Object.fromEntries(opaque),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}
