import type { PictureSize } from '../camera/picture-sizes.ts';

/** How a picture is to become a JPEG. */
export interface EncodeOrder extends PictureSize {
  readonly mirrored: boolean;
  /** 0 to 1. */
  readonly quality: number;
}

type Canvas = OffscreenCanvas | HTMLCanvasElement;

/** Makes JPEGs of pictures, one at a time; the canvas is kept. Works in a page and in a worker. */
export class PictureEncoder {
  #canvas: Canvas | undefined;

  /** @param picture is closed afterwards */
  async encode(picture: ImageBitmap, order: EncodeOrder): Promise<ArrayBuffer | undefined> {
    const canvas = this.#draw(picture, order);
    const blob = await toJpeg(canvas, order.quality);
    return blob?.arrayBuffer();
  }

  #draw(picture: ImageBitmap, { width, height, mirrored }: EncodeOrder): Canvas {
    this.#canvas ??= createCanvas(width, height);
    const canvas = this.#canvas;
    // Setting it clears and allocates, even where nothing changes.
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    // What is read back each time is better kept where it is read.
    const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
    if (!context) throw new Error('no memory for a canvas');
    context.setTransform(mirrored ? -1 : 1, 0, 0, 1, mirrored ? width : 0, 0);
    context.drawImage(picture, 0, 0, width, height);
    picture.close();
    return canvas;
  }
}

/** Browsers before 2023 have no canvas but that of the page. */
function createCanvas(width: number, height: number): Canvas {
  if ('OffscreenCanvas' in globalThis) return new OffscreenCanvas(width, height);
  return Object.assign(document.createElement('canvas'), { width, height });
}

/** @returns nothing where there was no memory for it */
async function toJpeg(canvas: Canvas, quality: number): Promise<Blob | null> {
  const type = 'image/jpeg';
  if ('convertToBlob' in canvas) return canvas.convertToBlob({ type, quality });
  return new Promise((resolve) => canvas.toBlob(resolve, type, quality));
}
