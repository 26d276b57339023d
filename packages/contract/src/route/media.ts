import Type, { type TUnsafe } from 'typebox';

/** The output schema of a body that is not JSON. */
export type MediaSchema = TUnsafe<Uint8Array | string | ReadableStream<Uint8Array>>;

/**
 * Declares an answer that is not JSON: `output: { 200: media('image/png') }`. The handler returns bytes, text or a
 * stream, and the answer carries this content type.
 */
export function media(mediaType: string): MediaSchema {
  return Type.Unsafe({ contentMediaType: mediaType, contentEncoding: 'binary' });
}

/** The media type of a schema made by `media`; undefined for JSON. */
export function mediaTypeOf(schema: object): string | undefined {
  const { contentMediaType, contentEncoding } = schema as Record<string, unknown>;
  return contentEncoding === 'binary' && typeof contentMediaType === 'string' ? contentMediaType : undefined;
}

/** A media type without its parameters, in lower case. */
export function essenceOf(mediaType: string): string {
  return mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
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

/**
 * Bytes of a media type as text: by its `charset` (RFC 9110, 8.3.2), where this is one that is known; JSON, and all else, is
 * UTF-8.
 */
export function textOf(bytes: Uint8Array, mediaType: string): string {
  const charset = isJsonType(mediaType) ? undefined : charsetIn.exec(mediaType)?.[1];
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // Nobody knows the charset. What is not UTF-8 shows as such.
    return new TextDecoder().decode(bytes);
  }
}

const charsetIn = /;\s*charset\s*=\s*"?([\w.:+-]{1,40})/i;
