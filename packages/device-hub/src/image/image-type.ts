import type { ImageSize } from './image-size.ts';
import { jpegSize } from './jpeg-size.ts';
import { webpSize } from './webp-size.ts';

/** What the first bytes of a picture say. */
export interface ImageType {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** Undefined where the header is cut off or says nothing; no decoder makes a picture of that. */
  readonly size: ImageSize | undefined;
}

/** Tells a PNG, JPEG, GIF or WebP by its signature; undefined for other bytes. Nothing is decoded. */
export function readImageType(bytes: Uint8Array): ImageType | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return { mediaType: 'image/jpeg', size: jpegSize(view) };
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
    return { mediaType: 'image/png', size: pngSize(view) };
  if (
    startsWith(bytes, [0x47, 0x49, 0x46, 0x38]) &&
    (bytes[4] === 0x37 || bytes[4] === 0x39) &&
    bytes[5] === 0x61
  )
    return { mediaType: 'image/gif', size: gifSize(view) };
  if (startsWith(bytes, [0x52, 0x49, 0x46, 0x46]) && startsWith(bytes, [0x57, 0x45, 0x42, 0x50], 8))
    return { mediaType: 'image/webp', size: webpSize(view) };
  return undefined;
}

function startsWith(bytes: Uint8Array, signature: readonly number[], at = 0): boolean {
  return signature.every((byte, i) => bytes[at + i] === byte);
}

/** The first chunk is always IHDR. */
function pngSize(view: DataView): ImageSize | undefined {
  if (view.byteLength < 24 || view.getUint32(12) !== 0x49_48_44_52) return undefined;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** Of the logical screen. */
function gifSize(view: DataView): ImageSize | undefined {
  if (view.byteLength < 10) return undefined;
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}
