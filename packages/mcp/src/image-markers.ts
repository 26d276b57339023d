import { isRecord } from './envelope.ts';

/** What a marker holds: `{ "$image": { media_type, data } }`, `data` in base64 (decision 6.5). */
export interface MarkedImage {
  readonly media_type: string;
  readonly data: string;
}

/** A value without its images. */
export interface Unmarked {
  /** The value with `[image 1: image/png]` in place of each marker. */
  readonly rest: unknown;
  /** In the order of their numbers. */
  readonly images: readonly MarkedImage[];
}

/** Takes the images out of a JSON value, wherever they are. What only looks like a marker stays. */
export function takeImages(value: unknown): Unmarked {
  const images: MarkedImage[] = [];
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk);
    if (!isRecord(node)) return node;
    const image = imageOf(node);
    if (!image) return Object.fromEntries(Object.entries(node).map(([key, member]) => [key, walk(member)]));
    images.push(image);
    return `[image ${images.length}: ${image.media_type}]`;
  };
  return { rest: walk(value), images };
}

function imageOf(node: Readonly<Record<string, unknown>>): MarkedImage | undefined {
  const image = node['$image'];
  if (!isRecord(image) || Object.keys(node).length > 1) return undefined;
  const { media_type, data } = image;
  if (typeof media_type !== 'string' || !media_type.startsWith('image/') || typeof data !== 'string')
    return undefined;
  return { media_type, data };
}
