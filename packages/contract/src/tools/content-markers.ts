/** Bytes inside JSON; `data` is base64. */
export type MarkedBytes = { readonly media_type: string; readonly data: string };

/** An image inside a JSON value (decision 6.5). */
export type ImageMarker = { readonly $image: MarkedBytes };

/** A sound inside a JSON value. */
export type AudioMarker = { readonly $audio: MarkedBytes };

/** Other bytes inside a JSON value. */
export type BytesMarker = { readonly $bytes: MarkedBytes };

/** Something that has an address, with what is found there: `text`, or `data` in base64. */
export type MarkedResource = {
  readonly uri: string;
  readonly media_type: string;
  readonly text?: string;
  readonly data?: string;
};

/** A resource inside a JSON value. */
export type ResourceMarker = { readonly $resource: MarkedResource };

/** The address of something that the caller may fetch. `size` is in bytes. */
export type MarkedLink = {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly media_type?: string;
  readonly size?: number;
};

/** A link inside a JSON value. */
export type ResourceLinkMarker = { readonly $resource_link: MarkedLink };

/** The content that a marker stands for. */
export type MarkedContent =
  | ({ readonly kind: 'image' | 'audio' | 'bytes' } & MarkedBytes)
  | ({ readonly kind: 'resource' } & MarkedResource)
  | ({ readonly kind: 'resource_link' } & MarkedLink);

/**
 * Puts an image into the answer of a handler: alone, in a list, or anywhere in a JSON value. Callers over HTTP read the
 * marker as JSON; MCP clients and models see the picture.
 *
 * @param mediaType told from the bytes of a PNG, JPEG, GIF or WebP
 * @throws {TypeError} for other bytes without a media type
 */
export function image(bytes: Uint8Array, mediaType = sniffed(bytes)): ImageMarker {
  return { $image: toMarkedBytes(bytes, mediaType) };
}

/** Puts a sound into the answer of a handler. @param mediaType `audio/wav` */
export function audio(bytes: Uint8Array, mediaType: string): AudioMarker {
  return { $audio: toMarkedBytes(bytes, mediaType) };
}

/**
 * Puts a resource with its content into the answer of a handler.
 *
 * @param mediaType `text/plain` for text, `application/octet-stream` for bytes
 */
export function resource(uri: string, content: string | Uint8Array, mediaType?: string): ResourceMarker {
  return typeof content === 'string'
    ? { $resource: { uri, media_type: mediaType ?? 'text/plain', text: content } }
    : { $resource: { uri, ...toMarkedBytes(content, mediaType ?? 'application/octet-stream') } };
}

/** Puts the address of something into the answer of a handler. */
export function resourceLink(
  uri: string,
  name: string,
  options: Omit<MarkedLink, 'uri' | 'name' | 'media_type'> & { readonly mediaType?: string } = {},
): ResourceLinkMarker {
  const { mediaType, ...rest } = options;
  return {
    $resource_link: { uri, name, ...rest, ...(mediaType !== undefined && { media_type: mediaType }) },
  };
}

/** The marker for bytes of any type. */
export function toMarker(bytes: Uint8Array, mediaType: string): ImageMarker | AudioMarker | BytesMarker {
  const marked = toMarkedBytes(bytes, mediaType);
  if (mediaType.startsWith('image/')) return { $image: marked };
  return mediaType.startsWith('audio/') ? { $audio: marked } : { $bytes: marked };
}

/** Reads a marker: an object with that one member. What only looks like one is undefined, and stays a JSON value. */
export function readMarker(value: unknown): MarkedContent | undefined {
  if (!isRecord(value)) return undefined;
  const [name = '', ...others] = Object.keys(value);
  const content = value[name];
  if (others.length > 0 || !name.startsWith('$') || !isRecord(content)) return undefined;
  // Each reader checks every member it names.
  return readers.get(name)?.(content) as MarkedContent | undefined;
}

type Members = Readonly<Record<string, unknown>>;

const readers: ReadonlyMap<string, (content: Members) => object | undefined> = new Map([
  ['$image', (content: Members) => readBytes('image', content, 'image/')],
  ['$audio', (content: Members) => readBytes('audio', content, 'audio/')],
  ['$bytes', (content: Members) => readBytes('bytes', content, '')],
  ['$resource', readResource],
  ['$resource_link', readLink],
]);

function readBytes(kind: string, { media_type, data }: Members, family: string): object | undefined {
  return isText(media_type) && media_type.startsWith(family) && isBase64(data)
    ? { kind, media_type, data }
    : undefined;
}

function readResource({ uri, media_type, text, data }: Members): object | undefined {
  if (!isText(uri) || !isText(media_type)) return undefined;
  if (isText(text)) return { kind: 'resource', uri, media_type, text };
  return isBase64(data) ? { kind: 'resource', uri, media_type, data } : undefined;
}

function readLink({ uri, name, title, description, media_type, size }: Members): object | undefined {
  if (!isText(uri) || !isText(name)) return undefined;
  return {
    ...{ kind: 'resource_link', uri, name },
    ...(isText(title) && { title }),
    ...(isText(description) && { description }),
    ...(isText(media_type) && { media_type }),
    ...(Number.isSafeInteger(size) && { size }),
  };
}

function toMarkedBytes(bytes: Uint8Array, mediaType: string): MarkedBytes {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return { media_type: mediaType, data };
}

/** The signatures of the image types that models read. */
function sniffed(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(head)) return 'image/gif';
  if (/^RIFF[\s\S]{4}WEBP/.test(head)) return 'image/webp';
  throw new TypeError('the bytes are no PNG, JPEG, GIF or WebP; name their media type');
}

function isBase64(data: unknown): data is string {
  return isText(data) && data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isRecord(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
