import type { Json } from '@waymark/contract';
import { isOptions } from '@waymark/contract/declaring';
import { readMarker } from '@waymark/contract/tools';
import { bytesOf, type ImagePart, maxImageBytes, maxImages, sniffImage } from './image-part.ts';

/** A tool's value as a model can be shown it. */
export interface ToolContent {
  readonly text: string;
  readonly images: readonly ImagePart[];
}

/**
 * Takes the pictures out of a tool's value, wherever they stand (decision 6.5), and leaves a word in their place. Other
 * bytes become their size: no model reads base64.
 */
export function toToolContent(value: Json): ToolContent {
  const images: ImagePart[] = [];
  const shown = show(value, images);
  return { text: typeof shown === 'string' ? shown : JSON.stringify(shown), images };
}

function show(value: Json | undefined, images: ImagePart[]): Json {
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (isList(value)) return value.map((item) => show(item, images));
  const marked = readMarker(value);
  if (marked?.kind === 'image') return showImage(marked.data, images);
  if (marked?.kind === 'audio' || marked?.kind === 'bytes')
    return `[${marked.media_type}, ${bytesOf(marked.data)} bytes]`;
  if (marked?.kind === 'resource' && marked.data !== undefined)
    return { uri: marked.uri, media_type: marked.media_type, bytes: bytesOf(marked.data) };
  // A picture whose form is wrong must not be read as letters either.
  if (isOptions(value) && Object.hasOwn(value, '$image') && !marked) return '[image that cannot be read]';
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, show(member, images)]));
}

function showImage(data: string, images: ImagePart[]): string {
  const mediaType = sniffImage(data);
  if (mediaType === undefined) return '[image that cannot be read]';
  if (bytesOf(data) > maxImageBytes) return `[image left out: larger than ${maxImageBytes} bytes]`;
  if (images.length === maxImages) return `[image left out: more than ${maxImages}]`;
  images.push({ type: 'image', mediaType, data });
  return `[image ${images.length}]`;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
