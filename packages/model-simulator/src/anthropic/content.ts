import { isObject, type JsonObject, objectsOf, textOf } from '../json.ts';
import type { SeenImage } from '../request/conversation.ts';

/** The blocks of a content; a string is one block of text. */
export function blocksOf(content: unknown): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content);
}

/** The text of a content: its text blocks, a line between two. */
export function contentText(content: unknown): string {
  return blocksOf(content)
    .filter(({ type }) => type === 'text')
    .map(({ text }) => textOf(text))
    .join('\n');
}

/** The images of a content. */
export function contentImages(content: unknown): SeenImage[] {
  return objectsOf(content)
    .filter(({ type }) => type === 'image')
    .map(({ source }) => {
      if (!isObject(source)) return { mediaType: '', data: '' };
      if (source['type'] !== 'base64') return { mediaType: '', data: textOf(source['url']) };
      return { mediaType: textOf(source['media_type']), data: textOf(source['data']) };
    });
}
