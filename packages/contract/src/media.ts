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
