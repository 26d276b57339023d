/** A text item. */
export function textItem(text: string): string {
  return `{"type":"text","text":${JSON.stringify(text)}}`;
}

/** An image item. @param data base64 */
export function imageItem(mimeType: string, data: string): string {
  return JSON.stringify({ type: 'image', data, mimeType });
}

/** Bytes as one item: text as text, images as images, anything else as an embedded resource. */
export function bytesItem(bytes: Uint8Array, mediaType: string, tool: string): string {
  if (isTextType(mediaType) || isJsonType(mediaType)) return textItem(textOf(bytes));
  const mimeType = essenceOf(mediaType);
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  if (mimeType.startsWith('image/')) return imageItem(mimeType, data);
  // A resource must have a URI. This one names the tool that made it; there is nothing to fetch.
  return JSON.stringify({
    type: 'resource',
    resource: { uri: `waymark:tool-result/${tool}`, mimeType, blob: data },
  });
}

/** Says whether bytes of a media type are text. */
export function isTextType(mediaType: string): boolean {
  return essenceOf(mediaType).startsWith('text/');
}

/** Says whether bytes of a media type are JSON. */
export function isJsonType(mediaType: string): boolean {
  const essence = essenceOf(mediaType);
  return essence === 'application/json' || essence.endsWith('+json');
}

/** A media type without its parameters. */
function essenceOf(mediaType: string): string {
  return mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Bytes as UTF-8 text. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
