import { image } from '@waymark/contract';
import type { Part } from '@waymark/contract/models';

/** A picture in a message. */
export type ImagePart = Extract<Part, { readonly type: 'image' }>;

/** The largest picture, in bytes (decision 6.5). */
export const maxImageBytes = 5 * 1_048_576;

/** The most pictures in one input, or in one tool result. */
export const maxImages = 16;

/** The length of what is written in base64. */
export function bytesOf(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return (data.length / 4) * 3 - padding;
}

/** The type of a picture, told from its bytes: PNG, JPEG, GIF or WebP; undefined for anything else. */
export function sniffImage(data: string): string | undefined {
  try {
    // The signatures are in the first 12 bytes.
    return image(Buffer.from(data.slice(0, 32), 'base64')).$image.media_type;
  } catch {
    return undefined;
  }
}
