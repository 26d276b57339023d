import { essenceOf, isJsonType, isTextType, textOf } from '@waymark/contract/route';
import type { MarkedContent } from '@waymark/contract/tools';

/** A text item. */
export function textItem(text: string): string {
  return `{"type":"text","text":${JSON.stringify(text)}}`;
}

/**
 * The item for what a marker stands for.
 *
 * @param tool whose result it is part of
 * @param links whether the client knows items of type `resource_link`
 */
export function markedItem(content: MarkedContent, tool: string, links: boolean): string {
  switch (content.kind) {
    case 'image':
    case 'audio':
      return JSON.stringify({ type: content.kind, data: content.data, mimeType: content.media_type });
    case 'bytes':
      return blobItem(content.data, content.media_type, tool);
    case 'resource': {
      const { uri, media_type: mimeType, text, data: blob } = content;
      return JSON.stringify({ type: 'resource', resource: { uri, mimeType, text, blob } });
    }
    case 'resource_link': {
      const { kind: type, media_type: mimeType, ...link } = content;
      return links ? JSON.stringify({ type, ...link, mimeType }) : textItem(`${link.name}: ${link.uri}`);
    }
  }
}

/** Bytes as one item: text as text, images as images, sounds as sounds, anything else as an embedded resource. */
export function bytesItem(bytes: Uint8Array, mediaType: string, tool: string): string {
  if (isTextType(mediaType) || isJsonType(mediaType)) return textItem(textOf(bytes, mediaType));
  const mimeType = essenceOf(mediaType);
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  const [family] = mimeType.split('/', 1);
  return family === 'image' || family === 'audio'
    ? JSON.stringify({ type: family, data, mimeType })
    : blobItem(data, mimeType, tool);
}

/** A resource must have a URI. This one names the tool that made it; there is nothing to fetch. */
function blobItem(blob: string, mimeType: string, tool: string): string {
  const uri = `waymark:tool-result/${tool}`;
  return JSON.stringify({ type: 'resource', resource: { uri, mimeType, blob } });
}
