import type { ImageSize } from './image-size.ts';

/** Reads the first chunk of a WebP: lossy, lossless, or the canvas of the extended form. */
export function webpSize(view: DataView): ImageSize | undefined {
  // A lossless picture of one pixel is whole with 26 bytes.
  if (view.byteLength < 25) return undefined;
  if (view.byteLength < 30 && view.getUint32(12) !== lossless) return undefined;
  switch (view.getUint32(12)) {
    case lossy:
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case lossless: {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case extended:
      return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
    default:
      return undefined;
  }
}

/** `VP8 `, `VP8L` and `VP8X`. */
const lossy = 0x56_50_38_20;
const lossless = 0x56_50_38_4c;
const extended = 0x56_50_38_58;

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}
